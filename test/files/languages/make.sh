#!/bin/sh
# Makes the PDFs of this folder from sources/, with fonts that have the letters: apt-get install libreoffice-writer
# fonts-hosny-amiri culmus fonts-lohit-deva fonts-ipafont-gothic
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in sources/*.fodt; do
  soffice --headless -env:UserInstallation="file://$work/profile" --convert-to pdf:writer_pdf_Export "$source" >/dev/null
done
