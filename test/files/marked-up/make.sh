#!/bin/sh
# Makes the files of this folder from sources/, as pandoc writes each format. They are committed, since not everybody has it:
# apt-get install pandoc
set -eu
cd "$(dirname "$0")"
for to in latex:tex org:org asciidoc:adoc rst:rst; do
  pandoc --standalone --to="${to%:*}" sources/balsa.md -o "balsa.${to#*:}"
done
