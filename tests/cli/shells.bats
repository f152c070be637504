# Completions, in the shells they are for. Each shell's test is left out where the shell is missing.
# shellcheck disable=SC2016,SC2154
setup() {
    load common; common_setup
    mkdir bin completions
    ln -s "$HALO" bin/halo
    PATH=$PWD/bin:$PATH
    halo --generate complete-fish > completions/halo.fish
    halo --generate complete-zsh > completions/_halo
}

# What fish offers for a command line.
fish_offers() {
    HOME=$PWD fish --no-config -c 'source completions/halo.fish; complete -C "$argv"' -- "$1" 2>&1 | cut -f1
}

@test "fish completes commands, options, operations and keys, in quotes and out of them" {
    command -v fish > /dev/null || skip "fish is missing"
    fish -n completions/halo.fish
    [ "$(fish_offers 'halo sta')" = $'stack\nstats' ]
    [ "$(fish_offers 'halo stats --fu')" = --full ]
    [ "$(fish_offers 'halo run gau')" = $'gauss\ngauss:' ]
    [ "$(fish_offers 'halo run gauss:2,bor')" = gauss:2,border= ]
    [ "$(fish_offers "halo run 'gray | inv")" = $'gray | invert\ngray | invert:' ]
    [ "$(fish_offers 'halo run "gray | inv')" = $'gray | invert\ngray | invert:' ]
    [ "$(fish_offers 'halo help pipel')" = pipelines ]
    fish_offers 'halo run ' | grep -qx integral
}

# What an interactive zsh makes of a command line and a tab.
zsh_makes() {
    cat > complete.zsh << 'EOF'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= TERM=dumb fpath=($PWD/completions \$fpath) LISTMAX=10000; unset zle_bracketed_paste
autoload -Uz compinit; compinit -u -D
show() { print -r -- \"<\$BUFFER>\"; print do''ne; BUFFER=; zle accept-line }
zle -N show; bindkey '^X' show '^I' complete-word; print rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$1"$'\t\C-X'
zpty -r -m shell line '*done*'
print -r -- "${line//$'\r'/}"
zpty -d shell
EOF
    HOME=$PWD timeout 60 zsh -f complete.zsh "$1" 3>&- | grep -o '<.*>' | tail -n 1
}

@test "zsh completes commands, options, operations and keys, in quotes and out of them" {
    command -v zsh > /dev/null || skip "zsh is missing"
    zsh -n completions/_halo
    [ "$(head -n 1 completions/_halo)" = "#compdef halo" ]
    [ "$(zsh_makes 'halo conv')" = '<halo convert >' ]
    [ "$(zsh_makes 'halo stats --ful')" = '<halo stats --full >' ]
    [ "$(zsh_makes "halo run 'gray | inv")" = "<halo run 'gray | invert>" ]
    [ "$(zsh_makes 'halo run local:sd,wid')" = '<halo run local:sd,width=>' ]
}

@test "a value is offered for the parameter whose turn it is" {
    [ "$(halo --complete 'normalize:0,1')" = '' ]
    halo --complete 'scan:' | grep -qx 'scan:sum'
    [ "$(halo --complete 'scan:sum,x')" = $'scan:sum,xy\nscan:sum,x' ]
    [ "$(halo --complete 'scan:op=sum,x')" = '' ]
    [ "$(halo --complete 'add:[shelf:200,3dB,0.7,l')" = 'add:[shelf:200,3dB,0.7,low' ]
}
