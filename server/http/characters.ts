// The codes of the characters that JSON is made of. They are its bytes in UTF-8, too.
export const tab = 0x09
export const lineFeed = 0x0a
export const carriageReturn = 0x0d
export const space = 0x20
export const quote = 0x22
export const backslash = 0x5c
export const comma = 0x2c
export const colon = 0x3a
export const brace = 0x7b
export const closingBrace = 0x7d
export const bracket = 0x5b
export const closingBracket = 0x5d
