/* "Did you mean …": the nearest of a list of words, choices, and the operations that other tools call by
 * another name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/tables.h"
#include "halo/words.h"

#define LONGEST 48
#define MOST_CHOICES 16

static int least(int a, int b) { return a < b ? a : b; }

/* How many insertions, deletions, substitutions and swaps of neighbours make `a` into `b` (the optimal string
 * alignment distance). */
static int distance(const char *a, const char *b)
{
    const int m = (int)strlen(a), n = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (int i = 0; i <= m; i++) d[i][0] = i;
    for (int j = 0; j <= n; j++) d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            const int changed = a[i - 1] != b[j - 1];
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + changed);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

/* Of so short a word another letter before the third makes another word: "psd" is not "pad", but "gpx" is
 * "gpu". A letter too much, too few or two exchanged are a slip still. */
static bool is_other_word(const char *word, const char *candidate)
{
    const size_t length = strlen(word);
    int changed = 0;
    if (length > 3 || strlen(candidate) != length) return false;
    for (size_t i = 0; i < length; i++) changed += word[i] != candidate[i];
    return changed == 1 && strncmp(word, candidate, 2) != 0;
}

const char *halo_nearest(const char *word, int count, const char *(*word_at)(int i, const void *list),
                         const void *list)
{
    const int allowed = strlen(word) < 8 ? 1 : (int)strlen(word) / 4;
    const char *best = NULL;
    int best_distance = allowed + 1;
    for (int i = 0; i < count; i++) {
        const char *candidate = word_at(i, list);
        const int d = distance(word, candidate);
        if (d < best_distance && !is_other_word(word, candidate)) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}

static const char *table_at(int i, const void *list) { return ((const char(*)[HALO_WORD_SIZE])list)[i]; }

const char *halo_nearest_choice(const char *text, const char *choices, char buffer[HALO_WORD_SIZE])
{
    char word[MOST_CHOICES][HALO_WORD_SIZE];
    int words = 0;
    while (words < MOST_CHOICES && halo_word(choices, '|', words, word[words]) != NULL) words++;
    const char *near = halo_nearest(text, words, table_at, word);
    return near != NULL ? strcpy(buffer, near) : NULL;
}

HaloStatus halo_read_choice(const char *text, const char *choices, int *choice)
{
    char list[256] = "", word[HALO_WORD_SIZE];
    const int found = halo_find_word(choices, '|', text);
    if (found >= 0) {
        *choice = found;
        return HALO_OK;
    }
    for (int i = 0; halo_word(choices, '|', i, word) != NULL; i++) {
        strncat(list, i > 0 ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, word, sizeof list - strlen(list) - 1);
    }
    const char *near = halo_nearest_choice(text, choices, word);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "'%.80s' is not one of %s; did you mean '%s'?", text, list, near);
    return halo_fail(HALO_ERR_USAGE, "'%.80s' is not one of %s", text, list);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Compares names as users write them: any case, words joined by '-', '_' or nothing. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (lower(*a) != lower(*b)) return false;
        if (*a == 0) return true;
    }
}

static bool lists(const char *names, const char *word)
{
    char name[HALO_WORD_SIZE];
    for (int i = 0; halo_word(names, ' ', i, name) != NULL; i++)
        if (same_name(name, word)) return true;
    return false;
}

bool halo_known_as(const HaloTables *tables, const char *word, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < tables->ops && used < size; i++) {
        const HaloOp *op = tables->op[i];
        if (!lists(op->known_as, word) && !lists(op->synonyms, word) && !same_name(op->name, word)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", used > 0 ? " or " : "", op->name);
    }
    return used > 0;
}
