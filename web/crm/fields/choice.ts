import { chosen, pastedLines, plainText } from './field.ts'
import type { Field, FieldKind } from './field.ts'

/** The id of the one choice with a name, as a draft has it; in other letters only where no name is the same. */
function idNamed(enums: Field['enums'], name: string): string | undefined {
  const wanted = name.trim()
  const same = (enums ?? []).filter(({ value }) => value.trim() === wanted)
  const alike = (enums ?? []).filter(
    ({ value }) => value.trim().toLowerCase() === wanted.toLowerCase(),
  )
  const [choice, another] = same.length > 0 ? same : alike
  return choice && !another ? String(choice.id) : undefined
}

/** The ids of the choices that `names` name; undefined where one names none. */
function idsNamed(enums: Field['enums'], names: string[]): string[] | undefined {
  const ids = names.map((name) => idNamed(enums, name))
  return ids.every((id) => id !== undefined) ? [...new Set(ids)] : undefined
}

/** One of the choices of the field. */
export const select: FieldKind = {
  draftOf: (_field, values) =>
    values?.[0]?.enum_id === undefined ? '' : String(values[0].enum_id),
  valuesOf: ({ enums }, draft) => (draft === '' ? null : chosen(enums, [draft as string])),
  copied: (_field, values) => plainText(values?.[0]?.value),
  pasted: ({ enums }, text) => (text.trim() === '' ? '' : idNamed(enums, text)),
  textOf: (_field, { value }) => plainText(value),
  filter: 'choices',
  isChoice: true,
}

/** Several of them. */
export const multiselect: FieldKind = {
  draftOf: (_field, values) => (values ?? []).map(({ enum_id }) => String(enum_id)),
  valuesOf: ({ enums }, draft) => chosen(enums, draft as readonly string[]),
  copied: (_field, values) => (values ?? []).map(({ value }) => plainText(value)).join('\n'),
  pasted({ enums }, text) {
    const lines = pastedLines(text).filter(Boolean)
    // A name may have a comma of its own.
    return idsNamed(enums, lines) ?? idsNamed(enums, lines.join(',').split(/[,;]/).filter(Boolean))
  },
  textOf: (_field, { value }) => plainText(value),
  filter: 'choices',
  isChoice: true,
  isMany: true,
}

/** A box. Its draft is `yes` where it is ticked. */
export const checkbox: FieldKind = {
  draftOf: (_field, values) => (values?.[0]?.value === true ? 'yes' : ''),
  valuesOf: (_field, draft) => (draft === 'yes' ? [{ value: true }] : null),
  copied: (_field, values) => (values?.[0]?.value === true ? 'TRUE' : 'FALSE'),
  pasted(_field, text) {
    const word = text.trim().toLowerCase()
    if (/^(?:true|yes|1|x|✓|да|истина|sí|si|verdadero|sim|verdadeiro)$/.test(word)) return 'yes'
    return /^(?:|false|no|0|-|нет|ложь|falso|não|nao)$/.test(word) ? '' : undefined
  },
  textOf: (_field, { value }, { flag }) => flag(value === true),
  filter: 'flag',
  isFlag: true,
}
