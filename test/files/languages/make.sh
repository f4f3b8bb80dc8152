#!/bin/sh
# Makes the PDFs of this folder from sources/, with fonts that have the letters: apt-get install libreoffice-writer
# fonts-hosny-amiri culmus fonts-lohit-deva fonts-ipafont-gothic fonts-noto-core chromium qpdf
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in sources/*.fodt; do
  soffice --headless -env:UserInstallation="file://$work/profile" --convert-to pdf:writer_pdf_Export "$source" >/dev/null
done
soffice --headless -env:UserInstallation="file://$work/profile" --convert-to pdf:writer_pdf_Export --outdir "$work" sources/indic.html >/dev/null
mv "$work/indic.pdf" indic.pdf
chromium --headless --no-sandbox --no-pdf-header-footer --print-to-pdf=indic-chromium.pdf sources/indic.html 2>/dev/null
# As other programs pack and lock them.
qpdf --object-streams=generate indic-chromium.pdf indic-packed.pdf
qpdf --encrypt '' owner 256 -- indic-chromium.pdf indic-locked.pdf
