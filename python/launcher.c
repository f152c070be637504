/* The program of the Python package: the command line is in its libhalo (cmake/python.cmake). */
int halo_main(int argc, char **argv);

int main(int argc, char **argv) { return halo_main(argc, argv); }
