// Mentions: the users whom a text names, those who are told of it, and how often.
import { describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { merged } from '../../../../test/merges.ts'
import { addNote, text } from '../../../../test/notes.ts'
import { addRecord, allKinds } from '../../../../test/records.ts'
import { streamOf } from '../../../../test/stream.ts'
import { signIn } from '../../../../test/session.ts'
import { mentionedIn } from './mentions.ts'

const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const

/** The notifications of a user, the newest first. */
const notificationsOf = async ({ api }: Pick<TestUser, 'api'>) =>
  (await api.get('/web/v1/notifications')).body?._embedded.notifications ?? []

const textsTo = async (user: TestUser) =>
  (await notificationsOf(user)).map(({ values }: { values: { text: string } }) => values.text)

const addColleague = (account: TestAccount, name: string, draft: object = {}) =>
  account.addUser({ name, rights: { leads: all, contacts: all, companies: all }, ...draft })

test.for([
  ['@Ann look', [1]],
  ['look @Ann', [1]],
  ['(@Ann), please', [1]],
  ['@Anna', [2]],
  ['@Ann Lee-Young', [3, 4]],
  ['@Ann Lee', [3, 4]],
  ['@Ann Lee and @Ann', [3, 4, 1]],
  ['@Annabel', []],
  ['@ann', []],
  ['mail to bob@Ann', []],
  ['Ann', []],
  ['@', []],
  ['@Ольга Ивановна!', [5]],
  ['@@Ann', [1]],
] as const)('in %j are %j', ([said, ids]) => {
  const users = [
    { id: 1, name: 'Ann' },
    { id: 2, name: 'Anna' },
    { id: 3, name: 'Ann Lee' },
    { id: 4, name: 'Ann Lee' },
    { id: 5, name: 'Ольга Ивановна' },
  ]
  expect(mentionedIn(said, users)).toEqual(ids)
})

describe('a note', () => {
  test.for(allKinds)('of one of the %s tells the user whom it mentions', async (type) => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann Lee')
    const id = await addRecord(account.api, type, { name: 'One' })
    const { of } = await streamOf(account, ann)
    const said = `@Ann Lee, ${'look '.repeat(60)}`
    const note = await addNote(account.api, type, id, text(said))
    await expect.poll(() => of('notification').length).toBe(1)
    expect(await notificationsOf(ann)).toMatchObject([
      {
        kind: 'mention',
        is_read: false,
        values: {
          about: `note ${note}`,
          entity_type: type,
          entity_id: id,
          entity_name: 'One',
          text: said.slice(0, 200),
          by: account.admin.id,
          by_name: 'The administrator',
        },
        _links: { about: { href: `${account.kontor.url}/api/v4/${type}/${id}` } },
      },
    ])
    expect(await notificationsOf(account)).toEqual([])
  })

  test('tells each user once, and an edit those only who are new in it', async () => {
    const account = await newAccount()
    const [ann, bob, cleo] = [
      await addColleague(account, 'Ann'),
      await addColleague(account, 'Bob'),
      await addColleague(account, 'Cleo'),
    ]
    const lead = await addRecord(account.api, 'leads')
    const note = await addNote(account.api, 'leads', lead, text('@Ann and @Ann'))
    const say = (words: string) => account.api.patch(`/api/v4/leads/notes/${note}`, text(words))
    await say('@Ann and @Bob')
    await say('@Bob')
    await say('@Bob and @Ann again')
    expect(await textsTo(ann)).toEqual(['@Ann and @Ann'])
    expect(await textsTo(bob)).toEqual(['@Ann and @Bob'])
    expect(await textsTo(cleo)).toEqual([])
  })

  test('is told of where its beginning ends amid a sign of two units', async () => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann')
    const lead = await addRecord(account.api, 'leads')
    const said = '@Ann '.padEnd(199, 'x')
    await addNote(account.api, 'leads', lead, text(`${said}😀`))
    expect(await textsTo(ann)).toEqual([`${said}\ufffd`])
  })

  test('tells neither its author, nor those who are inactive or may not view the record', async () => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann')
    const none = await addColleague(account, 'Bob', { rights: { leads: denied } })
    const own = await addColleague(account, 'Cleo', { rights: { leads: { ...denied, view: 'M' } } })
    const gone = await addColleague(account, 'Dan')
    await account.api.post('/api/v4/users/deactivate', [{ id: gone.id }])
    const alien = await (await newAccount()).addUser({ name: 'Eve', is_admin: true })
    const lead = await addRecord(account.api, 'leads')
    const said = '@Ann @Bob @Cleo @Dan @Eve'
    await addNote(ann.api, 'leads', lead, text(said))
    for (const user of [ann, none, own, alien]) expect(await textsTo(user)).toEqual([])
    await account.api.post('/api/v4/users/activate', [{ id: gone.id }])
    const { email } = gone
    const { api: back } = await signIn(account.kontor, { email, ...proof })
    expect(await notificationsOf({ api: back })).toEqual([])
    const mine = await addRecord(account.api, 'leads', { responsible_user_id: own.id })
    await addNote(account.api, 'leads', mine, text(said))
    expect(await textsTo(own)).toEqual([said])
    expect(await textsTo(none)).toEqual([])
    expect(await textsTo(ann)).toEqual([said])
  })

  test('of another type tells nobody, and neither does one that is refused', async () => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann')
    const lead = await addRecord(account.api, 'leads')
    await addNote(account.api, 'leads', lead, {
      note_type: 'sms_in',
      params: { text: '@Ann', phone: '1' },
    })
    const refused = await account.api.post(`/api/v4/leads/notes`, [
      { ...text('@Ann'), entity_id: lead },
      { ...text('@Ann'), entity_id: 999_999_999 },
    ])
    expect(refused.status).toBe(400)
    expect(await textsTo(ann)).toEqual([])
  })
})

describe('a notification', () => {
  const hidden = { text: null, entity_name: null, entity_id: null, entity_type: null }

  test.for(allKinds)('of a mention follows the rights of now to %s', async (type) => {
    const account = await newAccount()
    const own = { ...denied, view: 'M' } as const
    const ann = await addColleague(account, 'Ann', {
      rights: { leads: own, contacts: own, companies: own },
    })
    const id = await addRecord(account.api, type, { name: 'One', responsible_user_id: ann.id })
    await addNote(account.api, type, id, text('@Ann'))
    const shown = async () => (await notificationsOf(ann))[0].values
    const give = (change: object) => account.api.patch(`/api/v4/${type}/${id}`, change)
    expect(await shown()).toMatchObject({ text: '@Ann', entity_name: 'One', entity_id: id })
    await give({ responsible_user_id: account.admin.id })
    expect(await shown()).toMatchObject({ ...hidden, by_name: 'The administrator' })
    const { about } = (await notificationsOf(ann))[0]._links
    expect((await ann.api.get(new URL(about.href).pathname)).status).toBe(200)
    await give({ responsible_user_id: ann.id, name: 'Two' })
    expect(await shown()).toMatchObject({ text: '@Ann', entity_name: 'Two', entity_id: id })
  })

  test('of a mention follows its note to the record that it was merged into', async () => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann')
    const [one, two] = [
      await addRecord(account.api, 'contacts', { name: 'One' }),
      await addRecord(account.api, 'contacts', { name: 'Two' }),
    ]
    await addNote(account.api, 'contacts', two, text('@Ann'))
    await merged(account.api, 'contacts', one, two)
    expect((await notificationsOf(ann))[0].values).toMatchObject({ text: '@Ann', entity_id: one })
  })

  test('of a mention in a task hides what the task says from those who lost it', async () => {
    const account = await newAccount()
    const ann = await addColleague(account, 'Ann', {
      rights: { leads: denied, tasks: { edit: 'M', delete: 'M' } },
    })
    const lead = await addRecord(account.api, 'leads', { name: 'One' })
    const draft = { text: 'Ask @Ann', complete_till: 2_000_000_000, responsible_user_id: ann.id }
    const task = { ...draft, entity_type: 'leads', entity_id: lead }
    // A program may give a task to somebody who may not see its record.
    const made = await account.api.post('/api/v4/tasks', [task])
    expect(made.status).toBe(200)
    const id = made.body._embedded.tasks[0].id as number
    const shown = async () => (await notificationsOf(ann))[0].values
    expect(await shown()).toMatchObject({ text: 'Ask @Ann', entity_id: lead, entity_name: null })
    await account.api.patch(`/api/v4/tasks/${id}`, { responsible_user_id: account.admin.id })
    expect(await shown()).toMatchObject(hidden)
  })
})

describe('a task', () => {
  const add = async (account: TestAccount, draft: object) => {
    const task = { text: 'Ask @Ann', complete_till: 2_000_000_000, ...draft }
    return (await account.api.post('/api/v4/tasks', [task])).body._embedded.tasks[0].id as number
  }

  test('tells the user who may view it, by its record or without one', async () => {
    const account = await newAccount()
    const tasks = { edit: 'M', delete: 'M' } as const
    const ann = await addColleague(account, 'Ann', { rights: { leads: denied, tasks } })
    const lead = await addRecord(account.api, 'leads')
    await add(account, { entity_type: 'leads', entity_id: lead })
    await add(account, {})
    expect(await notificationsOf(ann)).toEqual([])
    const bound = await add(account, {
      entity_type: 'leads',
      entity_id: lead,
      responsible_user_id: ann.id,
    })
    const free = await add(account, { responsible_user_id: ann.id })
    const href = (path: string) => ({ about: { href: account.kontor.url + path } })
    expect(await notificationsOf(ann)).toMatchObject([
      {
        values: { about: `task ${free}`, entity_type: null, entity_id: null },
        _links: href(`/api/v4/tasks/${free}`),
      },
      {
        values: { about: `task ${bound}`, entity_id: lead, entity_name: null },
        _links: href(`/api/v4/leads/${lead}`),
      },
    ])
  })

  test('whose text is changed tells those who are new in it', async () => {
    const account = await newAccount()
    const [ann, bob] = [await addColleague(account, 'Ann'), await addColleague(account, 'Bob')]
    const lead = await addRecord(account.api, 'leads')
    const task = await add(account, { entity_type: 'leads', entity_id: lead })
    await account.api.patch(`/api/v4/tasks/${task}`, { text: 'Ask @Ann or @Bob' })
    await account.api.patch(`/api/v4/tasks/${task}`, { is_completed: true })
    expect(await textsTo(ann)).toEqual(['Ask @Ann'])
    expect(await textsTo(bob)).toEqual(['Ask @Ann or @Bob'])
  })
})
