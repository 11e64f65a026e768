// HTML written by the server. Every value in a page is escaped unless it is Html, so no user input
// becomes markup.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | false | Part[]

/** An HTML template. It escapes values, joins arrays, and drops `undefined` and `false`. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((whole, text, index) => whole + markup(parts[index - 1]) + text))
}

function markup(part: Part): string {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(markup).join('')
  return part instanceof Html ? part.text : escape(String(part))
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** A value for use in a script: no text in it can end the script element. */
export function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
