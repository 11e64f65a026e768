// Templates of messages: what somebody writes to clients again and again.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  ChatTemplate,
  TemplatePlaceholder,
} from '../../server/features/conversations/chats/templates/schema.ts'
import { askList } from '../data/api.ts'

export type Template = Static<typeof ChatTemplate>
export type { TemplatePlaceholder }

/** What stands in the places of a text; undefined where it is not known. */
export type TemplateValues = Record<TemplatePlaceholder, string | undefined>

export const templatesQuery = queryOptions({
  queryKey: ['chat-templates'],
  queryFn: ({ signal }) => askList<Template>('/web/v1/chat-templates', 'templates', { signal }),
})

/**
 * The parts of a text, those in braces with their names. A name that nobody knows is text, and so are
 * braces around none.
 */
export function partsOfTemplate(
  content: string,
  values: TemplateValues,
): { text: string; name?: TemplatePlaceholder }[] {
  return content.split(/(\{\{[^{}]*\}\})/).flatMap((text, index) => {
    const name = text.slice(2, -2).trim()
    if (index % 2 === 1 && isPlaceholder(name, values)) return [{ text, name }]
    return text === '' ? [] : [{ text }]
  })
}

const isPlaceholder = (name: string, values: TemplateValues): name is TemplatePlaceholder =>
  Object.hasOwn(values, name)

/** The text with the values in their places. A place whose value is not known stays, for its author to see. */
export const filledTemplate = (content: string, values: TemplateValues): string =>
  partsOfTemplate(content, values)
    .map(({ text, name }) => (name && values[name]) || text)
    .join('')
