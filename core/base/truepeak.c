#include "halo/truepeak.h"

#include <math.h>

/* The modified Bessel function of order 0, by its series. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int i = 1; i < 60; i++) {
        term *= (x / 2 / i) * (x / 2 / i);
        sum += term;
    }
    return sum;
}

double halo_true_peak_tap(int side, double beta, double part, int i)
{
    const double pi = 3.14159265358979323846, t = i - (side - 1) - part, share = t / side;
    const double window = bessel(beta * sqrt(fmax(0, 1 - share * share))) / bessel(beta);
    return sin(pi * t) / (pi * t) * window;
}
