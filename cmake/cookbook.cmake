# What `halo help WORD` searches of the cookbook: its headings with their commands, and the table of other
# tools' names, as a C file.
#   cmake -DFROM=docs/cookbook.md -DTO=cookbook.c -P cmake/cookbook.cmake
cmake_minimum_required(VERSION 3.25)

# Lines become elements of a CMake list, in which ; [ ] have a meaning: control characters stand for them
# meanwhile.
string(ASCII 1 semicolon)
string(ASCII 2 open)
string(ASCII 3 close)
string(ASCII 4 bar)
file(READ "${FROM}" text)
string(REPLACE ";" "${semicolon}" text "${text}")
string(REPLACE "[" "${open}" text "${text}")
string(REPLACE "]" "${close}" text "${text}")
string(REPLACE "\\|" "${bar}" text "${text}")
string(REPLACE "\n" ";" lines "${text}")

# As a C string.
function(quote text result)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "${open}" "[" text "${text}")
    string(REPLACE "${close}" "]" text "${text}")
    string(REPLACE "${bar}" "|" text "${text}")
    set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(recipes)
set(others)
set(heading)
set(commands)
set(fenced FALSE)
list(APPEND lines "### ") # ends the last recipe
foreach(line IN LISTS lines)
    if(line MATCHES "^```sh")
        set(fenced TRUE)
    elseif(line MATCHES "^```")
        set(fenced FALSE)
    elseif(fenced AND line MATCHES "^halo |^[^ ].*halo ")
        quote("${line}\\n" command)
        string(REPLACE "\\\\n\"" "\\n\"" command "${command}")
        string(APPEND commands " ${command}")
    elseif(NOT fenced AND line MATCHES "^##+ (.*)")
        set(next "${CMAKE_MATCH_1}")
        if(commands)
            quote("${heading}" heading)
            string(APPEND recipes "    {${heading},${commands}},\n")
        endif()
        set(heading "${next}")
        set(commands)
    elseif(NOT line STREQUAL "| elsewhere | here |" AND line MATCHES "^\\| (.*) \\| (.*) \\|$")
        set(elsewhere "${CMAKE_MATCH_1}")
        set(here "${CMAKE_MATCH_2}")
        string(REPLACE " · " ";" elsewhere "${elsewhere}")
        string(REPLACE " · " ";" here "${here}")
        list(LENGTH elsewhere names)
        list(LENGTH here answers)
        if(NOT names EQUAL answers)
            message(FATAL_ERROR "${FROM}: as many names apart by · on both sides of: ${line}")
        endif()
        foreach(name answer IN ZIP_LISTS elsewhere here)
            string(REPLACE "`" "" name "${name}")
            string(REPLACE "`" "" answer "${answer}")
            quote("${name}" name)
            quote("${answer}" answer)
            string(APPEND others "    {${name}, ${answer}},\n")
        endforeach()
    endif()
endforeach()
if(NOT recipes OR NOT others)
    message(FATAL_ERROR "${FROM} has no recipe, or no table of names elsewhere")
endif()

set(made "/* Made of docs/cookbook.md by cmake/cookbook.cmake. */
#include \"help/search.h\"

const CliRecipe cli_recipes[] = {
${recipes}};
const int cli_recipe_count = sizeof cli_recipes / sizeof cli_recipes[0]${semicolon}

const CliElsewhere cli_elsewhere[] = {
${others}};
const int cli_elsewhere_count = sizeof cli_elsewhere / sizeof cli_elsewhere[0]${semicolon}
")
string(REPLACE "${semicolon}" ";" made "${made}")
file(WRITE "${TO}" "${made}")
