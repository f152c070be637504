/* What the files of --total share: groups of files, and the tree of their moments. */
#ifndef CLI_TOTALS_PART_H
#define CLI_TOTALS_PART_H

#include "totals.h"

/* One channel of some files. */
typedef struct Part {
    HaloMoments moments;
    int64_t number[2]; /* of the files with the minimum and the maximum; -1: none */
    char *file[2];     /* their names, or NULL */
} Part;

/* All files of one subtree of the whole tree; `at` is the number of one of them. */
typedef struct Node {
    int64_t at;
    Part *channel; /* [channels] */
} Node;

/* Files of one kind, by one measurement: what may be added up. */
typedef struct Group {
    int64_t result; /* which measurement of the pipeline */
    int64_t first;  /* the number of the first file */
    uint64_t files;
    int64_t last;    /* the number of the latest file, which may hold several images */
    HaloResult like; /* type, shape (its size says nothing) and, of histograms, the counts */
    Node *node;      /* of statistics: subtrees that wait for their neighbours */
    size_t nodes, capacity;
} Group;

struct CliTotals {
    int64_t first;
    Group *group;
    size_t groups, capacity;
};

/* totals.c: finds the group of such results, or makes it. */
Group *totals_group(CliTotals *totals, int64_t result, const HaloResult *like, int64_t number);
/* Adds a node, which belongs to the group from then on. */
void totals_push(const CliTotals *totals, Group *group, Node node);
/* Where both have a range of their own and these differ, `sum` loses its counts and its range, for good. */
HaloStatus totals_add_counts(HaloHistogram *sum, const HaloHistogram *more);
bool totals_is_apart(const Group *group);
void totals_free_node(Node *node, int channels);

/* Places are told on a grid that is wider than any image, so that those of images of any width compare. */
#define TOTALS_GRID ((int64_t)1 << 32)

#endif
