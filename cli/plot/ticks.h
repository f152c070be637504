/* Where the ticks of an axis are, and what they say: round numbers, or whole seconds, minutes, hours, days,
 * months and years. */
#ifndef CLI_TICKS_H
#define CLI_TICKS_H

/* What the numbers of an axis are, which sets where its ticks are and what they say. */
typedef enum AxisKind {
    AXIS_NUMBER,
    AXIS_CLOCK, /* seconds of a recording, or since midnight */
    AXIS_DATE   /* seconds since 1970 */
} AxisKind;

/* Between at most `ticks` ticks of numbers: 1, 2 or 5 times a power of ten. */
double tick_step(double span, int ticks);
/* The fewest decimals that tell neighbouring ticks apart. */
void tick_label(double value, double step, char text[32]);

/* The same of times; the next tick is at `at` or later. */
double tick_time_step(double span, int ticks);
double tick_next_time(double at, double step);
void tick_time_label(AxisKind kind, double at, double step, char text[32]);
/* The day of a time, such as 2026-11-27. */
void tick_day(double at, char text[32]);

#endif
