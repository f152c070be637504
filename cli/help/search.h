/* `halo help WORD` by task: what there is on a word that is no command, operation or topic. */
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include <stdbool.h>
#include <stdio.h>

/* Made of docs/cookbook.md when halo is built (cmake/cookbook.cmake). */
typedef struct CliRecipe {
    const char *heading, *commands; /* one a line */
} CliRecipe;
extern const CliRecipe cli_recipes[];
extern const int cli_recipe_count;

/* What other tools call something, and what does it here: "flat field", "divide:flat.png,unit=mean". */
typedef struct CliElsewhere {
    const char *elsewhere, *here;
} CliElsewhere;
extern const CliElsewhere cli_elsewhere[];
extern const int cli_elsewhere_count;

/* Prints the commands, topics, operations and recipes that the words are about; false where there are none.
 * to NULL: only says whether there are. */
bool cli_search(FILE *to, const char *words);

#endif
