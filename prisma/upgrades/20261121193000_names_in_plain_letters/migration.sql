-- Names are searched in plain letters, as `foldName` writes them: few rows have any of the others.
UPDATE "Agent" SET "searchText" = replace(replace(replace(replace(translate("searchText", 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
WHERE "searchText" ~ '[łøđðħŧıßæœþ]';
UPDATE "User" SET "searchText" = replace(replace(replace(replace(translate("searchText", 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
WHERE "searchText" ~ '[łøđðħŧıßæœþ]';
UPDATE "Field" SET "searchText" = replace(replace(replace(replace(translate("searchText", 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
WHERE "searchText" ~ '[łøđðħŧıßæœþ]';
UPDATE "Base" SET "searchText" = replace(replace(replace(replace(translate("searchText", 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
WHERE "searchText" ~ '[łøđðħŧıßæœþ]';
UPDATE "Lead" SET "searchText" = replace(replace(replace(replace(translate("searchText", 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
WHERE "searchText" ~ '[łøđðħŧıßæœþ]';
