// The media type of a file decides how browsers treat it. Other people's files come from our own
// origin, so only pictures, sound and video that are known to be harmless are shown in place, and a
// picture counts as one only by its content: HTML named .png is not shown.

/** The first bytes that say what a picture is. */
export const longestSignature = 16

const text = (firstBytes: Buffer, from: number, to: number) =>
  firstBytes.toString('latin1', from, to)

const pictures: [type: string, isOne: (head: Buffer) => boolean][] = [
  ['image/png', (firstBytes) => text(firstBytes, 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', (firstBytes) => text(firstBytes, 0, 3) === '\xff\xd8\xff'],
  ['image/gif', (firstBytes) => ['GIF87a', 'GIF89a'].includes(text(firstBytes, 0, 6))],
  [
    'image/webp',
    (firstBytes) => text(firstBytes, 0, 4) === 'RIFF' && text(firstBytes, 8, 12) === 'WEBP',
  ],
]

/** Sound and video that browsers play; players take no scripts from them, whatever they hold. */
const played = new Set([
  'audio/aac',
  'audio/amr',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/opus',
  'audio/wav',
  'audio/webm',
  'audio/x-m4a',
  'audio/x-wav',
  'video/mp4',
  'video/mpeg',
  'video/ogg',
  'video/quicktime',
  'video/webm',
])

/** Types that say nothing of a file: the defaults of servers and of curl. */
const empty = new Set(['application/x-www-form-urlencoded', 'binary/octet-stream'])

export const anyType = 'application/octet-stream'

/** The type in a Content-Type header, in small letters and without parameters. */
export function declaredType(header: string | undefined): string {
  const type = (header ?? '').split(';', 1)[0]!.trim().toLowerCase()
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) && !empty.has(type) ? type : anyType
}

/** The type of a file by its first bytes and, where they do not say it, by what was declared. */
export function judgedType(declared: string, firstBytes: Buffer): string {
  const picture = pictures.find(([, isOne]) => isOne(firstBytes))
  if (picture) return picture[0]
  return pictures.some(([type]) => type === declared) ? anyType : declared
}

/** Whether browsers may show a stored file of this type in place. */
export const isShown = (type: string): boolean =>
  played.has(type) || pictures.some(([picture]) => picture === type)

/** The most characters of a name. */
export const longestName = 255

/** The name as it is stored: without paths and control characters, and never only dots. */
export function cleanName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what a name must not hold
  const clean = name.toWellFormed().replaceAll(/[\u0000-\u001f\u007f/\\]/g, '_')
  const characters = Array.from(clean.trim())
  const ending = /\.[^.]{1,10}$/u.exec(clean.trim())?.[0] ?? ''
  const short =
    characters.length <= longestName
      ? characters.join('')
      : characters.slice(0, longestName - Array.from(ending).length).join('') + ending
  return /^\.*$/.test(short) ? 'file' : short
}

/** Content-Disposition with a name in any script (RFC 6266, RFC 5987). */
export function disposition(how: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename="${plain}"; filename*=UTF-8''${whole}`
}
