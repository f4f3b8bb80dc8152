/**
 * Names of time zones that are links to another in the IANA database, each line with today's name first. Debian leaves
 * them out of the package that its image of PostgreSQL has, and PostgreSQL takes some of them (CET, EST) for fixed
 * offsets.
 */
const links = `
  Africa/Abidjan Africa/Timbuktu Iceland
  Africa/Cairo Egypt
  Africa/Nairobi Africa/Asmera
  Africa/Tripoli Libya
  America/Adak America/Atka US/Aleutian
  America/Anchorage US/Alaska
  America/Argentina/Buenos_Aires America/Buenos_Aires
  America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca
  America/Argentina/Cordoba America/Cordoba America/Rosario
  America/Argentina/Jujuy America/Jujuy
  America/Argentina/Mendoza America/Mendoza
  America/Chicago CST6CDT US/Central
  America/Denver America/Shiprock MST7MDT Navajo US/Mountain
  America/Detroit US/Michigan
  America/Edmonton America/Yellowknife Canada/Mountain
  America/Halifax Canada/Atlantic
  America/Havana Cuba
  America/Indiana/Indianapolis America/Fort_Wayne America/Indianapolis US/East-Indiana
  America/Indiana/Knox America/Knox_IN US/Indiana-Starke
  America/Iqaluit America/Pangnirtung
  America/Jamaica Jamaica
  America/Kentucky/Louisville America/Louisville
  America/Los_Angeles PST8PDT US/Pacific US/Pacific-New
  America/Manaus Brazil/West
  America/Mazatlan Mexico/BajaSur
  America/Mexico_City Mexico/General
  America/New_York EST5EDT US/Eastern
  America/Noronha Brazil/DeNoronha
  America/Nuuk America/Godthab
  America/Panama America/Coral_Harbour EST
  America/Phoenix MST US/Arizona
  America/Puerto_Rico America/Virgin
  America/Regina Canada/Saskatchewan
  America/Rio_Branco America/Porto_Acre Brazil/Acre
  America/Santiago Chile/Continental
  America/Sao_Paulo Brazil/East
  America/St_Johns Canada/Newfoundland
  America/Tijuana America/Ensenada America/Santa_Isabel Mexico/BajaNorte
  America/Toronto America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern
  America/Vancouver Canada/Pacific
  America/Whitehorse Canada/Yukon
  America/Winnipeg America/Rainy_River Canada/Central
  Asia/Ashgabat Asia/Ashkhabad
  Asia/Dhaka Asia/Dacca
  Asia/Ho_Chi_Minh Asia/Saigon
  Asia/Hong_Kong Hongkong
  Asia/Jerusalem Asia/Tel_Aviv Israel
  Asia/Kathmandu Asia/Katmandu
  Asia/Kolkata Asia/Calcutta
  Asia/Macau Asia/Macao
  Asia/Makassar Asia/Ujung_Pandang
  Asia/Nicosia Europe/Nicosia
  Asia/Seoul ROK
  Asia/Shanghai Asia/Chongqing Asia/Chungking Asia/Harbin PRC
  Asia/Singapore Singapore
  Asia/Taipei ROC
  Asia/Tehran Iran
  Asia/Thimphu Asia/Thimbu
  Asia/Tokyo Japan
  Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator
  Asia/Urumqi Asia/Kashgar
  Asia/Yangon Asia/Rangoon
  Atlantic/Faroe Atlantic/Faeroe
  Australia/Adelaide Australia/South
  Australia/Brisbane Australia/Queensland
  Australia/Broken_Hill Australia/Yancowinna
  Australia/Darwin Australia/North
  Australia/Hobart Australia/Currie Australia/Tasmania
  Australia/Lord_Howe Australia/LHI
  Australia/Melbourne Australia/Victoria
  Australia/Perth Australia/West
  Australia/Sydney Australia/ACT Australia/Canberra Australia/NSW
  Europe/Athens EET
  Europe/Berlin Atlantic/Jan_Mayen
  Europe/Brussels CET MET
  Europe/Chisinau Europe/Tiraspol
  Europe/Dublin Eire
  Europe/Istanbul Asia/Istanbul Turkey
  Europe/Kyiv Europe/Kiev Europe/Uzhgorod Europe/Zaporozhye
  Europe/Lisbon Portugal WET
  Europe/London Europe/Belfast GB GB-Eire
  Europe/Moscow W-SU
  Europe/Warsaw Poland
  Pacific/Auckland Antarctica/South_Pole NZ
  Pacific/Chatham NZ-CHAT
  Pacific/Easter Chile/EasterIsland
  Pacific/Guadalcanal Pacific/Ponape
  Pacific/Honolulu HST Pacific/Johnston US/Hawaii
  Pacific/Kanton Pacific/Enderbury
  Pacific/Kwajalein Kwajalein
  Pacific/Pago_Pago Pacific/Samoa US/Samoa
  Pacific/Port_Moresby Pacific/Truk Pacific/Yap
  UTC Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT GMT+0 GMT-0 GMT0 Greenwich UCT UTC Universal Zulu
`;

const current = new Map(
  links
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [name = '', ...old] = line.trim().split(' ');
      return old.map((each) => [each.toLowerCase(), name] as const);
    }),
);

/** Today's name of a time zone. */
export const currentZone = (name: string): string => current.get(name.toLowerCase()) ?? name;
