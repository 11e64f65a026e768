// The rows that links, elements, purchases, segments, waiting requests and complex creation read.
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../server/access/actor.ts'
import type { RightLevel } from '../../server/access/rights.ts'
import { fullRights, normalise } from '../../server/access/rights.ts'
import {
  lockLeadsOfReason,
  lockRecordsOfOption,
  recordsOfOption,
} from '../../server/features/application/jobs/queries.ts'
import { tasksOfType } from '../../server/features/activity/tasks/queries.ts'
import { recordsOfCalls } from '../../server/features/activity/calls/queries.ts'
import {
  catalogList,
  catalogsInView,
  catalogsWithOpenElements,
  knownCatalogs,
  oneCatalog,
  viewedCatalog,
} from '../../server/features/definitions/catalogs/queries.ts'
import {
  elementsWithEnum,
  recordsAmongLatest,
  recordsByKeys,
  recordWithEnum,
} from '../../server/features/definitions/custom-fields/managed/queries.ts'
import {
  keepLossReasons,
  lossReasonList,
  managedLossReasonList,
} from '../../server/features/definitions/loss-reasons/queries.ts'
import {
  lockSources,
  sourceList,
  sourcesOf,
} from '../../server/features/definitions/sources/queries.ts'
import { usesOfTaskTypes } from '../../server/features/definitions/task-types/queries.ts'
import { webhookList } from '../../server/features/programs/webhooks/queries.ts'
import {
  companiesOf,
  contactsLike,
  openLeads,
} from '../../server/features/records/complex/queries.ts'
import {
  elementList,
  fileOfElement,
  lockElements,
  matchingElements,
  nameFiles,
  oneElement,
} from '../../server/features/records/elements/queries.ts'
import type { ElementQuery } from '../../server/features/records/elements/schema.ts'
import { touchItems } from '../../server/features/records/leads/leads.ts'
import { findLinks } from '../../server/features/records/links/find.ts'
import type { LinkQuery } from '../../server/features/records/links/link-list.ts'
import { linkList, mainElement, mainEntity } from '../../server/features/records/links/link-list.ts'
import { usesBounds, usesOfElement } from '../../server/features/records/links/uses.ts'
import type { Link } from '../../server/features/records/links/plan.ts'
import {
  changeElementLinks,
  countElements,
  elementLinksAmong,
  flagLinks,
  insertElementLinks,
  insertLinks,
  linksOfHolders,
  lockByIds,
  lockElementsOfOne,
  ownersOfElements,
  removeElementLinks,
  removeLinks,
  someElements,
  touchRecords,
} from '../../server/features/records/links/queries.ts'
import {
  addToCounts,
  countSegments,
  linkedSegments,
  oneSegment,
  segmentIds,
  segmentList,
  segmentRuleRows,
} from '../../server/features/records/segments/queries.ts'
import type { TransactionWay } from '../../server/features/records/transactions/queries.ts'
import {
  customerOf,
  offeredElements,
  oneTransaction,
  removeTransaction,
  transactionList,
} from '../../server/features/records/transactions/queries.ts'
import type { TransactionQuery } from '../../server/features/records/transactions/schema.ts'
import * as items from '../../server/features/records/unsorted/queries.ts'
import { payloadLeads } from '../../server/features/records/unsorted/webhook.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import { oneRecord } from '../../server/records/lists/select.ts'
import { searchTermsOf } from '../../server/records/search/terms.ts'
import { admin } from '../actor.ts'
import { all, between, first } from '../plans.ts'
import { clientId, emptied, fewest, fieldIds, phone } from './accounts.ts'
import type { PlanCase, Row } from './fixture.ts'
import { base, inAccount, leadsOfStatus, listOf, of, pages, plans, seeing } from './fixture.ts'
import type { Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'

/** Links where there are many: account 2. */
export function linkCases(): Row[] {
  const actor = inAccount(2)
  const limited = inAccount(2, seeing('M'))
  const page: PagePosition = { after: undefined, offset: 0, limit: 251 }
  const after = (key: string, id: number) => ({ ...page, after: { key, id } })
  const large: LinkQuery = { type: 'companies', ids: [12] }
  const many: LinkQuery = {
    type: 'companies',
    ids: Array.from({ length: 250 }, (_, n) => (n + 1) * 10 + 2),
  }
  const records = /^(leads|contacts|companies|customers)$/
  const ids = Array.from({ length: 250 }, (_, n) => (n * 400 + 1) * 10 + 2)
  const lists = ids.flatMap((id) => [
    { id, linked: 'contacts' as const },
    { id, linked: 'companies' as const },
  ])
  const links = ids.map((id): Link => ({
    holder: { type: 'leads', id },
    linked: { type: 'contacts', id },
    is_main: true,
  }))
  const touched = ids.map((id) => ({ id, by: 1 }))
  const rows: [string, LinkQuery, PagePosition][] = [
    ['the first page of a company with 100,000 leads', large, page],
    ['a page in the middle', large, after('12c', 500_002)],
    ['its last page', large, after('12c', 999_002)],
    ['what stands behind another kind', large, after('12a', 500_002)],
    ['one of its links', { ...large, to: { type: 'leads', ids: [777_772] } }, page],
  ]
  return [
    // One link in fifty is with a lead in the bin.
    ...rows.map(([name, query, seek]): Row => [
      `links: ${name}`,
      {
        ask: () => linkList(actor, query, seek),
        matching: 251,
        reads: [
          [/links/, 251 * 1.1],
          [records, 251 * 1.1 + 1],
        ],
      },
    ]),
    [
      'links: the few that a limited user may see among 100,000, by the records that are seen',
      {
        find: (reader) => findLinks(reader, limited, large, page),
        matching: 251,
        // 1,001 links are counted before.
        reads: [[/links|^leads|contacts|companies$/, 1001 + 200]],
      },
    ],
    ...[page, after('1002c', 301_002)].map((seek, index): Row => [
      `links: those of 250 companies, no further than the page ends, ${pages[index]![0]}`,
      {
        ask: () => linkList(actor, many, seek),
        matching: Infinity,
        reads: [[/links/, 2 * 251 * 1.1]],
      },
    ]),
    [
      'links of the holders, for verbs',
      {
        ask: () => linksOfHolders(actor, 'leads', lists),
        matching: 250 * 10,
        reads: [[/links/, 250 * 10]],
        named: /^/,
      },
    ],
    [
      'links: records to be locked',
      { ask: () => lockByIds(limited, 'leads', ids), matching: 250, named: /^/ },
    ],
    ['links: the main entity', { ask: () => mainEntity(limited, 'companies', 12), matching: 1 }],
    // These would write: they are planned, and nothing runs.
    ...[
      insertLinks(actor, links),
      removeLinks(actor, links),
      flagLinks(actor, links),
      touchRecords({ ...actor, isWriting: true }, 'leads', touched),
    ].map((statement, index): Row => [
      `links are ${['inserted', 'removed', 'flagged', 'told to their records'][index]} by their keys`,
      { plan: () => statement, named: /^/ },
    ]),
  ]
}

/** Elements on records: account 3, where element 13 is on all 20,000 leads, and lead 13 has 500. */
export function elementLinkCases(): Row[] {
  const actor = inAccount(3)
  const page: PagePosition = { after: undefined, offset: 0, limit: 251 }
  /** Users who view the elements of catalog 1001 that are on their own leads: ten, or none. */
  const byLinks = (userId: number): Actor => ({
    ...inAccount(3, seeing('M')),
    userId,
    rights: {
      ...normalise({ catalog_rights: [{ catalog_id: 1001, rights: { view: 'L', edit: 'L' } }] }),
      leads: { ...fullRights.leads, view: 'M' },
    },
  })
  const ids = Array.from({ length: 250 }, (_, n) => (n + 1) * 10 + 3)
  const named = ids.map((id) => ({ record: { type: 'leads' as const, id }, id }))
  const links = named.map(({ record, id }) => ({
    record,
    element_id: id,
    catalog_id: 1001,
    quantity: 1,
    price_id: null,
  }))
  const files = ids.map((id) => ({ element_id: id, field_id: 5, uid: randomUUID() }))
  const element: LinkQuery = { type: 'catalog_elements', ids: [13] }
  const after = { ...page, after: { key: '13a', id: 100_003 } }
  const rows: [string, Sql, links: number, others: number][] = [
    ['an element with 20,000 leads', linkList(actor, element, page), 251, 252],
    ['a page in the middle', linkList(actor, element, after), 251, 252],
    ['a lead with 500', linkList(actor, { type: 'leads', ids: [13] }, page), 251, 2],
    ['the element itself', mainElement(byLinks(99), 1001, 13), 250, 251],
    ['one by its links', oneElement(byLinks(99), base, 1001, 13, new Set()), 250, 251],
    ['one that is on no lead in view', lockElements(byLinks(7777), 1001, [13], 'edit'), 250, 251],
    ['those that verbs name', elementLinksAmong(actor, named), 250, 0],
    ['how many a record has', countElements(actor, [{ type: 'leads', id: 13 }]), 500, 0],
    ['two owners of each', ownersOfElements(actor, ids), 500, 0],
  ]
  return [
    ...rows.map(([name, statement, links, others]): Row => [
      `elements on records: ${name}`,
      {
        ask: () => statement,
        matching: 500,
        reads: [
          [/element_links/, links],
          [/^(leads|contacts|companies|customers|catalog_elements)$/, others],
        ],
      },
    ]),
    [
      'elements on records: where an element with 20,000 leads is used',
      {
        // The links are counted first.
        ask: () => usesOfElement(byLinks(99), 13),
        matching: usesBounds.counted,
        reads: [
          [/element_links/, 2 * usesBounds.counted + 1],
          [/^(leads|contacts|companies|customers)$/, usesBounds.counted],
        ],
      },
    ],
    [
      'the file that a field of an element names',
      { ask: () => fileOfElement(byLinks(99), 1001, 13, 5), named: /^/ },
    ],
    [
      'the files that elements name from now on, and no more',
      { plan: () => nameFiles(actor, 1001, files, files), named: /^field_texts$/ },
    ],
    [
      'elements on records: the elements that verbs name',
      { ask: () => someElements(byLinks(99), ids), matching: 250 * 5, named: /element/ },
    ],
    [
      'elements on records: elements to be locked',
      { ask: () => lockElementsOfOne(actor, ids), matching: 250, named: /^/ },
    ],
    [
      'elements on records: a list by links',
      {
        ask: () => elementList(byLinks(99), base, 1001, {}, undefined, first),
        // The few links of each element are sorted.
        matching: 20_000 * 5 + 250,
        reads: [[/element_links/, 20_000 * 5 + 250]],
      },
    ],
    ...[
      insertElementLinks(actor, links),
      removeElementLinks(actor, links),
      changeElementLinks(actor, links),
    ].map((statement, index): Row => [
      `elements on records are ${['inserted', 'removed', 'changed'][index]} by their keys`,
      { plan: () => statement, named: /^/ },
    ]),
  ]
}

/** Purchases: account 1, where customer 1011 has 20,000 of them, and the last 20,000 customers six each. */
export function purchaseCases(): Row[] {
  const limited = (view: RightLevel, who: Partial<Actor> = {}): Actor => ({
    ...seeing(view, who),
    rights: { ...fullRights, leads: { ...fullRights.leads, view, edit: view } },
  })
  const list = (query: TransactionQuery, seek = first, who = admin, customer?: number) =>
    transactionList(who, base, query, seek, customer, wayOf(query, customer))
  const wayOf = ({ filter }: TransactionQuery, customer?: number): TransactionWay =>
    filter?.id ? 'each' : customer === undefined ? 'along' : 'one'
  const [of99, ofMany] = [1_000_001, 1011]
  const inTheMiddle = { after: { key: 700_001, id: 700_001 }, offset: 0, limit: 51 }
  const named: [string, number[], number][] = [
    ['an id', [1_390_011], 1],
    ['several ids', [11, 700_021, 1_390_011], 3],
    ['500 ids', Array.from({ length: 500 }, (_, n) => 900_001 + n * 10), 500],
    ['an id that is deleted', [31], 1],
  ]
  const views: [string, Actor][] = [
    ['40 of 100,000 customers', limited('M')],
    ['the 40 customers of a group', limited('G')],
    ['the 40 customers of the users of a group', limited('G', { groupMembers: [99, 98] })],
    ['a twentieth of all customers', limited('M', { userId: 5 })],
    ['a fifth of all customers', limited('G', { groupId: 3 })],
    ['no customer', limited('D')],
    ['no own customer', limited('M', { userId: 1000 })],
  ]
  const ways = [undefined, { id: 'desc' }] as const
  const bought = [{ id: 100_003, metadata: { catalog_id: 1001 } }]
  const byKey: [string, Sql, number][] = [
    ['one', oneTransaction(admin, base, 1_390_011), 1],
    ['one of a customer', oneTransaction(limited('M'), base, 1_390_011, of99), 1],
    ['its customer', customerOf(admin, 1_390_011), 1],
    ['what may be bought', offeredElements({ ...limited('A'), accountId: 3 }, bought), 0],
  ]
  return [
    ...named.map(([name, id, most]): Row => [
      `purchases by ${name}`,
      { ask: () => list({ filter: { id } }), matching: most, reads: [[/^transactions$/, most]] },
    ]),
    ...ways.flatMap((order) =>
      [first, inTheMiddle].map((seek, index): Row => [
        `purchases in the order ${JSON.stringify(order)}, ${pages[index]![0]}`,
        {
          ask: () => list({ ...(order && { order }) }, seek),
          isPrepared: true,
          matching: 51,
          along: 'transactions_in_order',
          reads: [
            // One in fifty customers lies in the bin.
            [/^transactions$/, 56],
            [/customers/, 56],
            [/transaction_elements/, 51],
          ],
        },
      ]),
    ),
    ...ways.flatMap((order) =>
      [first, inTheMiddle].map((seek, index): Row => [
        `purchases of one of many in the order ${JSON.stringify(order)}, ${pages[index]![0]}`,
        {
          ask: () => list({ ...(order && { order }) }, seek, limited('M', { userId: 2 }), ofMany),
          isPrepared: true,
          matching: 51,
          along: 'transactions_of_customer',
          reads: [
            [/^transactions$/, 51],
            [/customers/, 1],
            [/transaction_elements/, 51],
          ],
        },
      ]),
    ),
    ...[500, 15_000].map((offset): Row => [
      `purchases of one of many after ${offset} that are left out`,
      {
        ask: () => list({}, { ...first, offset }, admin, ofMany),
        isPrepared: true,
        matching: 51,
        reads: [
          [/^transactions$/, offset + 51],
          [/customers/, 1],
          [/transaction_elements/, 51],
        ],
      },
    ]),
    [
      'purchases of all after 2000 that are left out',
      {
        ask: () => list({}, { ...first, offset: 2000 }),
        isPrepared: true,
        matching: 51,
        reads: [
          [/^transactions$/, 2200],
          [/transaction_elements/, 51],
        ],
      },
    ],
    ...views.flatMap(([name, who]) =>
      ways.flatMap((order): Row[] => {
        const by = (way: TransactionWay, seek = first) =>
          transactionList(who, base, { ...(order && { order }) }, seek, undefined, way)
        const title = `for a user who sees ${name}, in the order ${JSON.stringify(order)}`
        return [
          [
            `purchases among the first of all, ${title}`,
            {
              ask: () => by({ window: 2000 }),
              matching: 2000,
              reads: [
                [/^transactions$/, 2000],
                // The customers are few, or each is looked up.
                [/customers/, 2000],
                [/transaction_elements/, 51],
              ],
            },
          ],
          [
            `purchases of each customer, ${title}`,
            {
              ask: () => by('customers'),
              matching: () => by('customers', all),
              reads: [
                [/^transactions$/, (matching) => 1.01 * matching],
                [/customers/, (matching) => matching + between],
                [/transaction_elements/, 51],
              ],
            },
          ],
        ]
      }),
    ),
    ...byKey.map(([name, statement, most]): Row => [
      `purchases by key: ${name}`,
      {
        ask: () => statement,
        matching: 1,
        reads: [
          [/^transactions$/, most],
          [/customers/, most],
          [/catalog_elements/, 1],
        ],
        named: /^(transactions|customers|catalog_elements)$/,
      },
    ]),
    // This would write: it is planned, and does not run.
    [
      'the latest of the purchases that are left is found by its index',
      {
        plan: () => removeTransaction(admin, 1011, 71),
        named: /^(transactions|notes)$/,
        namedBy: ['notes_pkey', 'transactions_by_completion'],
      },
    ],
  ]
}

/** Loss reasons and sources: account 3, whose second half of leads has both. */
export function saleCases(): Row[] {
  const actor = inAccount(3)
  const owner = { ...actor, clientId }
  const shown = (n: number, names?: string) =>
    listOf(
      'leads',
      actor,
      { with: names?.split(',') ?? [] },
      { ...first, after: { key: n * 10 + 3, id: n * 10 + 3 } },
    )
  const both = new Set(['loss_reason', 'source'])
  const looked: [string, Sql, number, number][] = [
    ['open leads', shown(1000), 0, 0],
    ['lost leads', shown(11_000), 51, 0],
    ['lost leads with their reasons', shown(11_000, 'loss_reason'), 102, 0],
    ['lost leads with reasons and sources', shown(11_000, 'loss_reason,source'), 102, 51],
    ['one lost lead with both', oneRecord(of.leads, actor, base, 110_003, both), 2, 1],
  ]
  const found: [string, Sql, number][] = [
    ['reasons that are kept', keepLossReasons(actor, [1001, 1002]), 2],
    ['one reason', lossReasonList(actor, base, [1001]), 1],
    ['the catalogs', catalogList(actor, base, {}, first), 10],
    ['one catalog', oneCatalog(actor, base, 1001), 1],
    ['whether a catalog is viewed', viewedCatalog(actor, 1001), 1],
    ['the catalogs in view', catalogsInView({ ...actor, isAdmin: false }), 10],
    ['the catalogs of events', catalogsWithOpenElements({ ...actor, isAdmin: false }), 10],
    ['the catalogs that are checked', knownCatalogs(actor), 10],
    ['sources of an integration by external ids', sourcesOf(owner, ['place 7', 'place 9']), 2],
    ['sources of nobody by external ids', sourcesOf(actor, ['place 7']), 1],
    ['the webhooks', webhookList(actor), 2100],
    ['a webhook by its address', webhookList(actor, { destination: 'https://example.com/7' }), 1],
    ['one webhook', webhookList(actor, { id: 1007 }), 1],
    ['one source', sourceList(owner, base, { ids: [1001] }), 1],
    ['the sources of an integration', sourceList(owner, base), 100],
    ['a source of nobody', sourceList(actor, base, { names: ['place 7'] }), 1],
    ['the sources of an integration, locked', lockSources(owner), 100],
    ['the sources of nobody, locked', lockSources(actor), 100],
  ]
  return [
    [
      'the leads of each reason',
      {
        ask: () => managedLossReasonList(actor, 1000),
        matching: 500,
        reads: [[/leads/, 10_000]],
        by: 'leads_by_loss_reason',
      },
    ],
    [
      'the leads of a reason that is merged',
      {
        ask: () => lockLeadsOfReason(actor, 1001, 0, 250),
        matching: 20,
        reads: [[/leads/, 60]],
        by: 'leads_by_loss_reason',
      },
    ],
    [
      'the tasks of a type that is merged',
      {
        ask: () => tasksOfType(inAccount(1), 2, 0, 250),
        matching: 250,
        reads: [[/tasks/, 250]],
        by: 'tasks_by_type',
      },
    ],
    [
      'the tasks of each type, up to a bound',
      {
        ask: () => usesOfTaskTypes(inAccount(1), [1, 2, 1001], 1000),
        matching: 3,
        reads: [[/tasks/, 1041]],
        by: 'tasks_by_type',
      },
    ],
    ...looked.map(([name, statement, reasons, sources]): Row => [
      `the reasons and sources of ${name}`,
      {
        ask: () => statement,
        matching: 0,
        exactly: [
          [/loss_reasons/, reasons],
          [/sources/, sources],
        ],
      },
    ]),
    ...found.map(([name, statement, most]): Row => [
      `by their keys: ${name}`,
      {
        ask: () => statement,
        // Later tests add webhooks, which are listed in the other states.
        matching: Math.max(100, most),
        reads: [[/loss_reasons|sources|catalogs|webhooks/, most]],
      },
    ]),
  ]
}

/** The usage of fields: account 1, where most leads have all of them. */
export function usageCases(): Row[] {
  const { text, number, select, several, rareTick } = fieldIds
  const numbers = [number, select, several, rareTick]
  const ofSelect = { entity_type: 'leads' as const, field_id: select }
  const rows = (most: number, ids: number[]) => most * ids.length
  return [
    [
      'the records of fields with numbers, to a bound for each',
      {
        ask: () => recordsByKeys(admin, 'leads', 'field_numbers', numbers, 101),
        matching: rows(101, numbers),
        reads: [[/field_numbers/, rows(101, numbers)]],
        by: 'field_numbers_pkey',
        named: /field_numbers/,
      },
    ],
    [
      'the records of a field with texts, to a bound',
      {
        ask: () => recordsByKeys(admin, 'leads', 'field_texts', [text], 1001),
        matching: 1001,
        reads: [[/field_texts/, 1001]],
        by: 'field_texts_pkey',
        named: /field_texts/,
      },
    ],
    [
      'the latest records with fields that have no index',
      {
        ask: () => recordsAmongLatest(admin, { holder: 'leads' }, [text, number], 251),
        matching: 502,
        reads: [[/leads/, 251]],
        named: /leads/,
      },
    ],
    [
      'the records of a choice that is merged',
      {
        ask: () => recordsOfOption(admin, { ...ofSelect, enum_id: 2 }, 1000, 250),
        matching: 250,
        reads: [
          [/field_numbers/, 250],
          [/leads/, 250],
        ],
        along: 'field_numbers_pkey',
        named: /field_numbers|leads/,
      },
    ],
    [
      'the records of a choice that is merged, as they are locked',
      {
        ask: () => lockRecordsOfOption(admin, { ...ofSelect, enum_id: 2 }, [11, 21, 31, 41], true),
        matching: 4,
        reads: [[/leads/, 4]],
        by: 'leads_pkey',
        named: /leads/,
      },
    ],
    [
      'whether a record has a choice',
      {
        ask: () => recordWithEnum(admin, 'leads', select, 2),
        matching: 1,
        reads: [[/field_numbers/, 1]],
        by: 'field_numbers_pkey',
        named: /field_numbers/,
      },
    ],
  ]
}

/** Segments: account 3, which has 100 with ten counts each. */
export function segmentCases(): Row[] {
  const actor = inAccount(3)
  const page: PagePosition = { after: undefined, offset: 0, limit: 251 }
  const rows: [string, Sql, segments: number, counts: number][] = [
    ['all on one page', segmentList(actor, page), 100, 1000],
    ['a later page', segmentList(actor, { ...first, after: { key: 1050, id: 1050 } }), 50, 500],
    ['one', oneSegment(actor, 1050), 1, 10],
    ['their number', countSegments(actor), 100, 0],
    ['their ids', segmentIds(actor), 100, 0],
    ['those of a page of customers', linkedSegments(actor, base, '{1001,1050,7}'), 2, 0],
    ['the rules', segmentRuleRows(actor), 100, 0],
  ]
  return [
    ...rows.map(([name, statement, segments, counts]): Row => [
      `segments: ${name}`,
      {
        ask: () => statement,
        matching: 100,
        reads: [
          [/^segments$/, segments],
          [/segment_counts/, counts],
        ],
      },
    ]),
    [
      'segments: a change of their counts',
      { plan: () => addToCounts(actor, [1001, 1002], [1, -1]), named: /segment_counts/ },
    ],
  ]
}

/** Elements: account 3, whose catalog 1001 has nearly all, and catalog 1002 twenty. */
export function elementCases(): Row[] {
  const actor = inAccount(3)
  const matching = (query: ElementQuery, at = first, catalog = 1001) =>
    elementList(actor, base, catalog, query, undefined, at)
  const middle = { ...first, after: { key: 100_003, id: 100_003 } }
  const words = searchTermsOf('striped')!
  const common = { terms: searchTermsOf('element')!, gone: [] }
  const goods = { holder: 'catalogs', catalog_id: 1001 } as const
  const rows: [string, Sql, elements: number, texts: number][] = [
    ['the first page', matching({}), 51, 0],
    ['a page in the middle', matching({}, middle), 51, 0],
    ['a page from the end', matching({ order: { id: 'desc' } }, middle), 51, 0],
    ['a small catalog', matching({}, first, 1002), 20, 0],
    ['two ids', matching({ filter: { id: [100_003, 100_013] } }), 2, 0],
    ['one element', oneElement(actor, base, 1001, 100_003, new Set()), 1, 0],
    ['two elements, locked', lockElements(actor, 1001, [100_003, 100_013], 'edit'), 2, 0],
    ['a rare word', matchingElements(actor, 1001, words, [], 1001), 0, 1],
    ['a common word', elementList(actor, base, 1001, {}, common, first), 51, 51],
    // Of a catalog that has nearly all, the key is as good: it reads a few of the others.
    ['the latest with fields', recordsAmongLatest(actor, goods, [5], 251), 255, 0],
    ['the latest with a choice', elementsWithEnum(actor, 1001, 5, [1, 2], 1001), 1005, 0],
    ['all of a small catalog with a choice', elementsWithEnum(actor, 1002, 5, [1], 1001), 20, 0],
  ]
  return rows.map(([name, statement, elements, texts]): Row => [
    `elements: ${name}`,
    {
      ask: () => statement,
      matching: 51,
      reads: [
        [/catalog_elements/, elements],
        [/record_texts/, texts],
      ],
    },
  ])
}

/** Duplicate control: account 3, where all contacts have the phone 0, and contact 13 all leads. */
export function complexCases(): Row[] {
  const own = { view: 'M', edit: 'M' } as const
  const seller: Actor = {
    ...inAccount(3),
    isAdmin: false,
    userId: 5,
    rights: {
      ...fullRights,
      leads: { ...fullRights.leads, ...own },
      contacts: { ...fullRights.contacts, ...own },
    },
  }
  const keys = (...values: string[]) =>
    values.map((value, index) => ({ place: index, field_id: phone, value }))
  const called = (...indexes: number[]) => indexes.map((index) => ({ place: index, name: 'Ann' }))
  const fifty = Array.from({ length: 50 }, (_, n) => n)
  const batch = keys(...fifty.map((n) => String(n + 100)))
  const callers = [
    ['an administrator', inAccount(3)],
    ['a seller', seller],
  ] as const
  // A handful of statuses and companies is read faster than an index.
  const named = /^(?!(statuses|companies)$)/
  return callers.flatMap(([name, actor]): Row[] => [
    [
      `contacts with a rare phone, for ${name}`,
      {
        ask: () => contactsLike(actor, keys('5'), called(0)),
        matching: 1,
        reads: [[/field_texts|contacts/, 4]],
        named,
      },
    ],
    [
      `contacts with fifty phones, for ${name}`,
      {
        ask: () => contactsLike(actor, batch, called(...fifty)),
        matching: 50,
        reads: [[/field_texts|contacts/, 200]],
      },
    ],
    [
      `contacts with a common phone, for ${name}`,
      {
        ask: () => contactsLike(actor, keys('0'), called(0)),
        matching: 100,
        reads: [[/field_texts|contacts/, 300]],
      },
    ],
    [
      `the newest open lead of a contact of two leads, for ${name}`,
      {
        ask: () => openLeads(actor, [53], [1]),
        matching: 2,
        reads: [[/links|leads/, 4]],
      },
    ],
    [
      `the newest open lead of a contact of 20,000 leads, for ${name}`,
      {
        ask: () => openLeads(actor, [13], [1]),
        matching: 500,
        reads: [[/links|leads/, 1000]],
        named,
      },
    ],
    [
      `the newest open lead of a contact among some, for ${name}`,
      { ask: () => openLeads(actor, [13], [1], [13, 23]), matching: 500, named },
    ],
    [
      `the companies of leads, for ${name}`,
      { ask: () => companiesOf(actor, 'leads', [13, 23]), matching: 2, named },
    ],
  ])
}

/** Leads of a status that goes: account 2. */
export function statusCases(): Row[] {
  return Object.entries(leadsOfStatus).flatMap(([name, ask]) =>
    [fewest, emptied].map((status): Row => [
      `${name}, of ${status === fewest ? 'few' : 'many'}`,
      {
        ask: () => ask(status),
        matching: 2000,
        reads: [[/leads/, 4004]],
        namedBy: name.startsWith('how many')
          ? ['leads_by_status']
          : ['leads_by_status', 'leads_in_bin_by_status'],
      },
    ]),
  )
}

/** Unsorted items: what is read of 67,000 that wait, and of 33,000 that are decided. */
export function unsortedRows(): Row[] {
  const page = 51
  const table = /^unsorted_items$/
  const shown = (
    filter: items.ItemFilter,
    most: number,
    more: { order?: items.ItemOrder; seek?: PagePosition; actor?: Actor } = {},
  ): PlanCase => ({
    ask: () => items.itemPage(more.actor ?? admin, base, filter, more.order, more.seek ?? first),
    isPrepared: items.planningOfItems(more.actor ?? admin, filter, more.order) === 'page',
    matching: most,
    reads: [[table, most]],
  })
  const along = (index: string, planCase: PlanCase): PlanCase => ({ ...planCase, along: index })
  // The rows of the page are sorted once more.
  const by = (index: string, planCase: PlanCase): PlanCase => ({ ...planCase, by: index })
  const middle = { ...first, after: { key: 1_700_050_000, id: 50_000 } }
  const newest = { order: { created_at: 'desc' }, seek: middle } as const
  const byUpdate = { updated_at: 'desc' } as const
  const opened = (pipeline_id: number, status_id: number): Actor => ({
    ...seeing('A'),
    isAdmin: false,
    rights: {
      ...fullRights,
      status_rights: [
        {
          entity_type: 'leads',
          pipeline_id,
          status_id,
          rights: { view: 'A', edit: 'A', delete: 'D' },
        },
      ],
    },
  })
  const uids = Array.from({ length: 250 }, (_, index) => `uid-${index * 300 + 1}`)
  const names = uids.map((uid) => ({
    category: 'forms' as const,
    source_uid: uid.replace('uid', 'request'),
  }))
  const leadIds = uids.map((uid) => Number(uid.slice(4)) * 10 + 1)
  const decided = { id: 5, lead_ids: [51], contact_ids: [], company_ids: [] }
  const row: items.NewItemRow = {
    ...decided,
    uid: 'x',
    category: 'forms',
    source_uid: 'x',
    source_name: 'x',
    pipeline_id: 1,
    status_id: 50,
    metadata: {},
    data: { leads: [], contacts: [], companies: [], notes: [] },
    client_id: null,
    created_by: 1,
    created_at: 1,
    content: '',
    at: 1,
  }
  const counts = (filter: Parameters<typeof items.summaryRows>[1], most: number): PlanCase => ({
    ask: () => items.summaryRows(admin, filter),
    matching: most,
    reads: [[table, most]],
  })
  const rows: Row[] = [
    ['the first', along('unsorted_by_creation', shown({}, page))],
    ['those in the middle', along('unsorted_by_creation', shown({}, page + 1, { seek: middle }))],
    [
      'the newest',
      along('unsorted_by_creation', shown({}, page, { order: { created_at: 'desc' } })),
    ],
    [
      'the last that changed',
      along('unsorted_by_update', shown({}, page, { order: { updated_at: 'desc' } })),
    ],
    ['a common category', by('unsorted_by_category', shown({ category: ['forms'] }, page))],
    ['a rare category', by('unsorted_by_category', shown({ category: ['sip'] }, page))],
    [
      'a common category in the middle',
      by('unsorted_by_category', shown({ category: ['forms'] }, page, newest)),
    ],
    ['a rare category by update', shown({ category: ['sip'] }, page, { order: byUpdate })],
    ['two categories', shown({ category: ['sip', 'forms'] }, 2 * page)],
    ['a common pipeline', by('unsorted_by_pipeline', shown({ pipeline_id: [1] }, page))],
    ['a rare pipeline', by('unsorted_by_pipeline', shown({ pipeline_id: [7] }, page))],
    ['a category in a pipeline', shown({ category: ['sip'], pipeline_id: [7] }, page)],
    ['a uid', { ...shown({ uid: ['uid-4'] }, 1), by: 'unsorted_items_uid' }],
    ['many uids', { ...shown({ uid: uids }, 250), by: 'unsorted_items_uid' }],
    ['those of a common status', shown({}, 4 * page, { actor: opened(1, 50) })],
    ['those of a rare status', shown({}, page, { actor: opened(7, 999) })],
    [
      'one',
      {
        ask: () => items.oneItem(opened(1, 50), base, 'uid-5'),
        matching: 1,
        reads: [[table, 1]],
        named: table,
      },
    ],
    // A count looks at each item once, in an index.
    ['all counts', { ...counts({}, 100_000), by: 'unsorted_by_decision' }],
    ['counts of a time', counts({ created_at: { from: 1_700_090_000 } }, 10_001)],
    ['counts of a pipeline', counts({ pipeline_id: [7] }, 34_000)],
    ['counts of uids', { ...counts({ uid: uids }, 500), by: 'unsorted_items_uid' }],
    [
      'those to be decided',
      {
        ask: () => items.lockItems(opened(1, 50), uids),
        matching: 250,
        // Each by its uid, and then by its id.
        reads: [[table, 500]],
        named: table,
      },
    ],
    [
      'those of leads',
      {
        ask: () => items.itemsOfLeads(admin, leadIds),
        matching: 250,
        reads: [[/^leads$/, 250]],
        named: /^leads$/,
      },
    ],
    [
      'their leads',
      {
        ask: () => items.leadsOfItems(admin, leadIds),
        matching: 250,
        reads: [[/^leads$/, 250]],
        named: /^leads$/,
      },
    ],
    [
      'their leads to be removed',
      {
        ask: () => items.unsortedLeads(admin, leadIds),
        matching: 250,
        reads: [[/^leads$/, 250]],
        named: /^leads$/,
      },
    ],
    [
      'their leads for webhooks',
      {
        ask: () => payloadLeads(1, leadIds),
        matching: 250,
        reads: [[/^leads$/, 250]],
        named: /^leads$/,
      },
    ],
    [
      'repeats',
      {
        ask: () => items.waitingBySource(admin, names),
        matching: 250,
        reads: [[table, 250]],
        named: table,
      },
    ],
    [
      'contacts with companies',
      {
        ask: () => items.contactsWithCompany(inAccount(2), [12, 22, 32]),
        matching: 250,
        named: /^links$/,
      },
    ],
    ['decided', { plan: () => items.decideItems(admin, 'accepted', [decided]), named: table }],
    ['inserted', { plan: () => items.insertItems(admin, [row]), named: table }],
    ['dated by their leads', { plan: () => touchItems(admin, [5, 6]), named: table }],
  ]
  return rows.map(([name, planCase]) => [`unsorted items: ${name}`, planCase])
}

/** The tests of these plans. */
export function recordsPlans(): void {
  test('phones that PostgreSQL knows nothing of yet are found by their last digits too', async () => {
    const steps = await plans.explain(recordsOfCalls({ ...admin, accountId: 3 }, ['1']))
    const scans = steps.filter((step) => step['Relation Name'] === 'field_texts')
    // The companies of account 3 have no phones.
    expect(scans.map((step) => step['Index Name'])).toEqual([
      'field_texts_by_last_digits',
      'field_texts_by_last_digits',
    ])
  })
}
