// An account in use, as the second schema (0002_people.sql) knew it, written in SQL: what the first one had, and on top of it what came.
import sql, { raw } from 'sql-template-tag'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/database/connect.ts'
import { hash, openSecrets, randomText } from '../../server/secrets.ts'
import { openSigning } from '../../server/signing.ts'
import { schema0001, secretKey } from './schema-0001.ts'
import type { Filled } from './schema-0001.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithEvents extends Filled {
  /** Of a browser in which the administrator is signed in. */
  session: string
  /** Of a user who has a role: he may do everything but delete. */
  role_token: string
  ids: {
    lead: number
    binned: number
    contact: number
    second: number
    company: number
    role: number
  }
}

/** Names that are hard to find, each with a search that finds it. */
export const hardNames: [name: string, question: string][] = [
  ['Пекарня «Ёлка», Йошкар-Ола', 'елка ПЕКАРНЯ йошкар'],
  ['Crème brûlée, Façade', 'CREME facade'],
  ['ΟΔΟΣ Νίκος', 'οδος ΝΊΚΟΣ'],
  ['Πελοπόννησος', 'ΠΕΛΟΠΟΝΝΗΣ'],
  ['Große Straße', 'STRASSE'],
  ['İstanbul ısı', 'ISTANBUL isi'],
  ['ｆｕｌｌ ﬁne ½', 'full fine'],
  ['東京 トウキョウ ガ', '東京'],
  ['Đặng Łoś Sœur Øre', 'DANG los SOEUR ore'],
  ['a\u0085line \u2028and\u00a0space\ufeff\u2003\u1680end', 'end'],
  ['two\nlines\tof\vtext', 'lines'],
  ['😀 party %_\\', '😀'],
]

/** Every letter of most alphabets, a hundred to a name; apart, so that marks stay in their order whichever Unicode sorts them. */
const alphabets: string[] = [
  [0x20, 0x2000],
  [0x2c00, 0x2e00],
  [0x3000, 0x3200],
  [0xa640, 0xa6a0],
  [0xac00, 0xae00],
  [0xe000, 0xe010],
  [0xf900, 0xfffd],
  [0x10400, 0x10450],
  [0x1d400, 0x1d800],
].flatMap(([from, to]) => {
  const points = Array.from({ length: to! - from! }, (_, index) =>
    String.fromCodePoint(from! + index),
  )
  const known = points.filter((letter) => !/\p{Cn}|\p{Cs}/u.test(letter))
  return Array.from({ length: Math.ceil(known.length / 100) }, (_, index) =>
    known.slice(index * 100, index * 100 + 100).join(' '),
  )
})

export const schema0002: Fixture<FilledWithEvents> = {
  last: '0002_people.sql',
  tables: [...schema0001.tables, 'companies', 'contacts', 'links', 'roles', 'sessions'],
  events: schema0001.events,
  fill,
}

/** An account as the second version leaves one that is in use; every table gets rows. */
async function fill(database: Database, account: number): Promise<FilledWithEvents> {
  const filled = await schema0001.fill(database, account)
  const [admin, limited, pipeline, status, tag, lead] = [1, 2, 3, 4, 5, 6].map(
    (index) => account * 100 + index,
  )
  const ids = {
    lead: lead!,
    binned: lead! + 2,
    contact: lead! + 10,
    second: lead! + 11,
    company: lead! + 20,
    role: lead! + 30,
  }
  const session = randomText(43)
  const people = sql`${admin}::bigint as responsible_user_id, 0 as group_id, ${admin}::bigint as created_by, ${admin}::bigint as updated_by,
                     ${now}::bigint as created_at, ${now}::bigint as updated_at`
  const shared = raw(
    'responsible_user_id, group_id, created_by, updated_by, created_at, updated_at',
  )
  const names = [...hardNames.map(([name]) => name), ...alphabets]
  await database.transaction(async (tx) => {
    const all = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' }
    const rights = {
      leads: all,
      contacts: all,
      companies: all,
      tasks: { edit: 'A', delete: 'D' },
      status_rights: null,
    }
    await tx.list(sql`
      insert into roles (account_id, id, name, rights)
      values (${account}, ${ids.role}, 'Sellers', ${JSON.stringify({ ...rights, catalog_rights: [], mail_access: true, catalog_access: true })}::jsonb)`)
    await tx.list(sql`
      insert into users (account_id, id, name, email, language, role_id, rights, phone_number, user_rank, created_at, updated_at)
      select ${account}, ${ids.role}, 'With a role', ${`role@${account}.example`}, 'en', ${ids.role}, rights, '+1 555', 'master', ${now}, ${now}
        from users where account_id = ${account} and id = ${limited!}`)
    await tx.list(sql`
      insert into grants (account_id, id, user_id, client_id, scopes, created_at, expires_at)
      values (${account}, 3, ${ids.role}, null, '{crm}', ${now}, ${now + 86_400})`)
    await tx.list(sql`
      insert into sessions (account_id, hash, user_id, is_chosen, created_at, expires_at)
      values (${account}, ${hash(session)}, ${admin}, true, ${now}, ${now + 86_400})`)
    await tx.list(sql`
      update integrations set is_public = true, logo = 'x', logo_type = 'image/png', uninstall_hook = 'https://example.com/gone'
       where account_id = ${account}`)
    await tx.list(
      sql`update authorization_codes set scopes = '{crm}' where account_id = ${account}`,
    )
    await tx.list(sql`
      insert into contacts (account_id, id, name, first_name, last_name, ${shared}, is_deleted)
      select ${account}::bigint, id, name, first, last, people.*, gone
        from (values (${ids.contact}::bigint, 'Анна Ёлкина', 'Анна', 'Ёлкина', false), (${ids.second}::bigint, '', '', '', false),
                     (${ids.contact + 2}::bigint, 'Renamed', 'José', '', true)) as contact(id, name, first, last, gone),
             (select ${people}) people`)
    await tx.list(sql`
      insert into companies (account_id, id, name, ${shared}, tag_ids)
      select ${account}::bigint, ${ids.company} + place, name, people.*, '{}'::bigint[]
        from unnest(${names}::text[]) with ordinality as company(name, place), (select ${people}) people
      union all
      select ${account}::bigint, ${ids.company}, 'Пекарня', people.*, '{}'::bigint[] from (select ${people}) people`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, pipeline_id, status_id, ${shared}, is_deleted, tag_ids)
      select ${account}::bigint, ${ids.binned}, 'Забытая ёлка', 30, ${pipeline!}::bigint, ${status!}::bigint, people.*, true, array[${tag!}]::bigint[]
        from (select ${people}) people`)
    await tx.list(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
      select ${account}::bigint, end_type, end_id, other_type, other_id, is_main
        from (values ('leads', ${ids.lead}::bigint, 'contacts', ${ids.contact}::bigint, true), ('leads', ${ids.lead}, 'contacts', ${ids.second}, false),
                     ('leads', ${ids.lead}, 'companies', ${ids.company}, false), ('contacts', ${ids.contact}, 'companies', ${ids.company}, false),
                     ('leads', ${ids.binned}, 'contacts', ${ids.contact}, true)) as link(one_type, one_id, two_type, two_id, is_main),
             lateral (values (one_type, one_id, two_type, two_id), (two_type, two_id, one_type, one_id))
               as both_ends(end_type, end_id, other_type, other_id)`)
    for (const type of ['contacts', 'companies'])
      await tx.list(sql`
        insert into notes (account_id, entity_type, entity_id, note_type, params, ${shared})
        select account_id, ${type}, id, 'entity_added', '{}', ${shared} from ${raw(type)} where account_id = ${account}`)
  })
  const signing = await openSigning(
    database,
    await openSecrets({ ...readConfig({}), secretKey }),
    now,
  )
  const claims = {
    account_id: account,
    grant_id: 3,
    user_id: ids.role,
    client_id: null,
    scopes: ['crm'],
    exp: now + 86_400,
  }
  return { ...filled, session, ids, role_token: await signing.sign(claims, now, 'localhost') }
}
