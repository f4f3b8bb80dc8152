"""Writes a workbook with a row, and a part of a cell, that are struck out."""
import sys
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

workbook = Workbook()
sheet = workbook.active
sheet.title = 'Fares'
for row in [['Ticket', 'Euros'], ['Cat', 5], ['Dog', 3], ['Van', None]]:
    sheet.append(row)
for cell in sheet[2]:
    cell.font = Font(strike=True)
sheet['B4'] = CellRichText(
    TextBlock(InlineFont(strike=True), '20 '),
    TextBlock(InlineFont(b=True), '15'),
    ' for 10 m',
    TextBlock(InlineFont(vertAlign='superscript'), '2'),
)
workbook.save(sys.argv[1])
