#!/bin/sh
# Makes the files of this folder from sources/, with the programs that people make theirs with. They are committed, since
# not everybody has these: apt-get install libreoffice-writer libreoffice-calc libreoffice-impress pandoc python3-openpyxl
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
office() { soffice --headless -env:UserInstallation="file://$work/profile" --convert-to "$1" --outdir "$work/$3" "$2" >/dev/null; }

# A PDF as Writer exports it.
pandoc sources/regulamento.md -o "$work/regulamento.docx"
office pdf:writer_pdf_Export "$work/regulamento.docx" pdf
# Documents, tables and slides as LibreOffice saves them for Office.
pandoc sources/contrato.md -o "$work/contrato.odt"
office 'docx:MS Word 2007 XML' "$work/contrato.odt" docx
office 'xlsx:Calc MS Excel 2007 XML' sources/tarifas.fods xlsx
pandoc sources/onboarding.md --slide-level=1 -o "$work/onboarding.pptx"
office odp "$work/onboarding.pptx" odp
office 'pptx:Impress MS PowerPoint 2007 XML' "$work/odp/onboarding.odp" pptx
# Tables with merged cells, formats and hidden parts, and a document with hidden text.
office 'xlsx:Calc MS Excel 2007 XML' sources/horarios.fods xlsx
office ods sources/horarios.fods ods
office 'docx:MS Word 2007 XML' sources/aviso.fodt docx
office odt sources/aviso.fodt odt
office 'rtf:Rich Text Format' sources/aviso.fodt rtf
# A workbook as openpyxl and slides as pandoc write them, with struck text.
python3 sources/riscado.py riscado.xlsx
pandoc sources/riscado.md --slide-level=1 -o riscado.pptx
# A book.
pandoc sources/viagem.md -o "$work/viagem.epub"

cp "$work"/pdf/*.pdf "$work"/docx/*.docx "$work"/xlsx/*.xlsx "$work"/pptx/*.pptx "$work"/ods/*.ods \
  "$work"/odt/*.odt "$work"/rtf/*.rtf "$work"/viagem.epub .
