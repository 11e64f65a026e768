// Names belong to definitions, not to records: a renamed field shows its new name at once, a
// deleted field disappears at once, and neither rewrites a record.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { Reader } from '../../database/connect.ts'
import type { TestAccount } from '../../../test/account.ts'
import {
  addFields,
  changeField,
  chosen,
  deleteField,
  fill,
  readFilled,
  shownAs,
  valueOf,
} from '../../../test/fields.ts'
import { faultsOf, listen, plainly } from '../../../test/leads.ts'
import { addRecord, allKinds, pathOf, readRecord } from '../../../test/records.ts'
import { fieldsChanged, fieldsOf } from './definitions.ts'
import type { Field } from './definitions.ts'

describe.each(allKinds)('%s', (kind) => {
  let account: TestAccount
  let text: Field
  let list: Field
  let id: number

  beforeAll(async () => {
    account = await newAccount()
    const choices: [string, string][] = ['a', 'b', 'c'].map((value) => [value, value.toUpperCase()])
    const drafts = [
      { type: 'text' as const, code: 'OLD', name: 'Old' },
      { type: 'multiselect' as const, enums: choices },
    ]
    ;[text, list] = (await addFields(account, kind, drafts)) as [Field, Field]
    const all = valueOf(list, { value: 'a' }, { value: 'b' }, { value: 'c' })
    id = await addRecord(account.api, kind, {
      custom_fields_values: [valueOf(text, { value: 'x' }), all],
    })
  })

  const kept = () =>
    account.kontor.database.row(
      sql(
        [
          `select xmin::text, custom_fields_values from ${kind} where account_id = `,
          ' and id = ',
          '',
        ],
        account.id,
        id,
      ),
    )
  const shown = async () => {
    const { body } = await account.api.get(`${pathOf(kind)}?filter[id]=${id}`)
    expect(body._embedded[kind][0].custom_fields_values).toEqual(
      await readFilled(account.api, kind, id),
    )
    return body._embedded[kind][0].custom_fields_values
  }

  test('show new names and codes of fields and choices at once, and none of them is rewritten', async () => {
    const row = await kept()
    const enums = list.enums.map((each) => ({
      ...each,
      value: `New ${each.value}`,
      code: `NEW_${each.code}`,
    }))
    await changeField(account, kind, { id: text.id, name: 'New', code: 'NEW' })
    await changeField(account, kind, { id: list.id, enums })
    expect(await shown()).toEqual([
      shownAs({ ...text, name: 'New', code: 'NEW' }, { value: 'x' }),
      shownAs(list, ...enums.map(chosen)),
    ])
    expect(await kept()).toEqual(row)
    const old = [
      { field_code: 'OLD', values: [] },
      valueOf(list, { value: 'a' }, { enum_code: 'A' }),
    ]
    expect(faultsOf(await fill(account.api, kind, id, ...old))[0]).toHaveLength(3)
    expect(
      (await fill(account.api, kind, id, { field_code: 'NEW', values: [{ value: 'x' }] })).status,
    ).toBe(200)
    expect(await kept()).toEqual(row)
    await changeField(account, kind, text)
    await changeField(account, kind, list)
  })

  test('do not show a deleted choice, can be sent back without it, and keep the others when they change', async () => {
    const [a, , c] = list.enums
    const newsSince = await listen(account)
    await changeField(account, kind, { id: list.id, enums: [a!, c!] })
    expect(await shown()).toEqual([
      shownAs(text, { value: 'x' }),
      shownAs(list, chosen(a!), chosen(c!)),
    ])
    const before = await readRecord(account.api, kind, id)
    account.clock.ahead += 60
    expect((await account.api.patch(`${pathOf(kind)}/${id}`, before)).status).toBe(200)
    expect(await readRecord(account.api, kind, id)).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(
      faultsOf(await fill(account.api, kind, id, valueOf(list, { value: 'b' })))[0],
    ).toHaveLength(1)

    await fill(account.api, kind, id, valueOf(text, { value: 'y' }))
    expect(await shown()).toEqual([
      shownAs(text, { value: 'y' }),
      shownAs(list, chosen(a!), chosen(c!)),
    ])
    await fill(account.api, kind, id, valueOf(list, chosen(c!)))
    expect(await shown()).toEqual([shownAs(text, { value: 'y' }), shownAs(list, chosen(c!))])
    const { events } = await newsSince()
    const item = ({ id, value }: typeof a & object) => ({
      custom_field_value: { field_id: list.id, field_type: 5, enum_id: id, text: value },
    })
    expect(events.slice(1).map(plainly)).toMatchObject([
      {
        type: `custom_field_${list.id}_value_changed`,
        value_before: [item(a!), item(c!)],
        value_after: [item(c!)],
      },
    ])
  })

  test('do not show a deleted field, and keep the others when they change', async () => {
    const [number, doomed] = await addFields(account, kind, [
      { type: 'numeric', sort: 900 },
      { type: 'url' },
    ])
    await fill(
      account.api,
      kind,
      id,
      valueOf(number!, { value: 1 }),
      valueOf(doomed!, { value: 'z' }),
    )
    const before = await shown()
    await deleteField(account, kind, doomed!.id)
    const left = before.filter(({ field_id }: { field_id: number }) => field_id !== doomed!.id)
    expect(await shown()).toEqual(left)
    const newsSince = await listen(account)
    expect((await fill(account.api, kind, id, ...left)).status).toBe(200)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(faultsOf(await fill(account.api, kind, id, valueOf(doomed!)))[0]).toHaveLength(1)
    await fill(account.api, kind, id, valueOf(number!, { value: 2 }))
    expect(await shown()).toEqual([...left.slice(0, -1), shownAs(number!, { value: '2' })])
    const { events } = await newsSince()
    expect(events.map(({ type }) => type)).toEqual([`custom_field_${number!.id}_value_changed`])
  })

  test('have null where everything that was filled is deleted', async () => {
    const [doomed] = await addFields(account, kind, [{ type: 'text' }])
    const other = await addRecord(account.api, kind, {
      custom_fields_values: [valueOf(doomed!, { value: 'x' })],
    })
    await deleteField(account, kind, doomed!.id)
    expect(await readFilled(account.api, kind, other)).toBeNull()
  })
})

test('what a transaction reads of its own changes, or of changes that are taken back, nobody else is shown', async () => {
  const account = await newAccount()
  const { database } = account.kontor
  const [field] = await addFields(account, 'leads', [{ type: 'text', name: 'Before' }])
  const nameIn = async (reader: Reader) =>
    (await fieldsOf(reader, account.id, 'leads')).byId.get(field!.id)!.name
  const name = () => nameIn(database)
  const rename = (name: string) =>
    sql`update custom_fields set name = ${name} where account_id = ${account.id} and id = ${field!.id}`
  expect(await name()).toBe('Before')
  await database.transaction(async (tx) => {
    await fieldsChanged(tx, account.id)
    await tx.rows(rename('Between'))
    expect(await name()).toBe('Before')
    expect(await nameIn(tx)).toBe('Between')
    await tx.rows(rename('After'))
  })
  expect(await name()).toBe('After')
  const failed = database.transaction(async (tx) => {
    await fieldsChanged(tx, account.id)
    await tx.rows(rename('Never'))
    await fieldsOf(tx, account.id, 'leads')
    throw new Error('taken back')
  })
  await expect(failed).rejects.toThrow('taken back')
  expect(await name()).toBe('After')
})

test('a process remembers as many fields and choices as fit, and forgets those it has not read for longest', async () => {
  const [one, two] = [await newAccount(), await newAccount()]
  const { database } = one.kontor
  const enums = Array.from({ length: 500 }, (_, index) => `${index}`)
  const few = [{ type: 'select' as const, enums }]
  const many = Array.from({ length: 150 }, () => few[0]!)
  const remembered = () => fieldsOf(database, one.id, 'leads')
  await addFields(one, 'leads', few)
  const first = await remembered()
  expect(await remembered()).toBe(first)
  for (const kind of ['leads', 'contacts'] as const) {
    await addFields(two, kind, many)
    await fieldsOf(database, two.id, kind)
    expect(await remembered()).toBe(first)
  }
  await addFields(two, 'companies', many)
  const last = await fieldsOf(database, two.id, 'companies')
  expect(await fieldsOf(database, two.id, 'companies')).toBe(last)
  const again = await remembered()
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
})
