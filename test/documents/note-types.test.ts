// The interface and the guide on events name every type of notes, with its params and its event.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noteTypeFacts, noteTypeNames } from '../../server/features/activity/notes/types.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const cellsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

test('the interface has every type of notes, with its params and its event', () => {
  const table = read('interface.md').split('### Note types\n')[1]!.split('\n### ')[0]!
  const shown = cellsOf(table).flatMap(([types, params, events]) => {
    const [required = '', optional = ''] = params!.split('optional')
    return namesIn(types!).map((type, index) => [
      type,
      namesIn(required).toSorted(),
      namesIn(optional).toSorted(),
      namesIn(events!)[index] ?? namesIn(events!)[0],
    ])
  })
  const expected = noteTypeNames.map((type) => {
    const { params, event, shown = [] } = noteTypeFacts(type)
    const required = params.required ?? []
    const optional = Object.keys(params.properties).filter(
      (name) => !required.includes(name) && !shown.includes(name),
    )
    return [type, [...required].toSorted(), optional.toSorted(), event]
  })
  const byType = (rows: unknown[][]) =>
    rows.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
  expect(byType(shown)).toEqual(byType(expected))
})

test.each(noteTypeNames)('the guide on events says what a note %s causes', (type) => {
  const { event } = noteTypeFacts(type)
  const row = cellsOf(read('guides/events.md')).find(([types]) => namesIn(types!).includes(event))
  expect(namesIn(row![1]!)).toContain(type)
})
