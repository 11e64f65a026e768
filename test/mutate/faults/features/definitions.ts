// Faults of server/features/definitions.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Rights to records
  {
    name: 'task-of-a-deleted-type',
    find: 'id = any(${ids}::bigint[]) and not is_deleted order by id for share',
    replace: 'id = any(${ids}::bigint[]) order by id for share',
    tests: ['server/features/definitions/task-types/task-types.test.ts'],
  },
  {
    name: 'task-type-removed-from-tasks',
    find: 'isInUse ? hideTaskType(actor, id) : removeTaskType(actor, id)',
    replace: 'removeTaskType(actor, id)',
    tests: ['server/features/definitions/task-types/task-types.test.ts'],
  },
  {
    name: 'deleted-task-type-changed',
    find: 'and id = ${id} and not is_deleted returning id',
    in: 'task-types/queries.ts',
    replace: 'and id = ${id} returning id',
    tests: ['server/features/definitions/task-types/task-types.test.ts'],
  },
  {
    name: 'task-type-kept-by-nobody',
    find: 'and not is_deleted order by id for share',
    in: 'task-types/queries.ts',
    replace: 'and not is_deleted order by id',
    tests: ['server/features/definitions/task-types/task-types.test.ts'],
  },
  // Accounts
  {
    name: 'tags-by-anybody',
    find: "if (mayNone(actor, type, 'add') && mayNone(actor, type, 'edit'))",
    replace: "if (mayNone(actor, type, 'add') && mayNone(actor, type, 'view'))",
    tests: ['server/features/definitions/tags/tags.test.ts'],
  },
  {
    name: 'tags-deleted-by-own',
    find: "if (levelOf(actor, type, 'edit') !== 'A') throw",
    replace: "if (levelOf(actor, type, 'edit') === 'D') throw",
    tests: ['server/features/definitions/tags/tags.test.ts'],
  },
  {
    name: 'renamed-tag-kept',
    find: '  await tagsChanged(tx, actor.accountId)\n  const rows',
    replace: '  const rows',
    tests: ['server/features/definitions/tags/tags.test.ts'],
  },
  {
    name: 'reason-of-another-account',
    find: 'select id from loss_reasons where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`',
    replace: 'select id from loss_reasons where id = any(${ids}::bigint[])`',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'catalog-of-another-account',
    find: 'lateral (select ${shape(base)}) shown\n   where catalog.account_id = ${actor.accountId} and catalog.id = ${id}',
    replace: 'lateral (select ${shape(base)}) shown\n   where catalog.id = ${id}',
    tests: ['server/features/definitions/catalogs/catalogs.test.ts'],
  },
  {
    name: 'catalog-of-fields-unchecked',
    find: '  if (!catalog.allowed) throw forbidden(',
    replace: '  if (catalog.allowed === undefined) throw forbidden(',
    tests: ['server/features/definitions/catalogs/catalogs.test.ts'],
  },
  {
    name: 'chain-of-another-account',
    find: 'where catalog.account_id = ${actor.accountId} and ${mayViewCatalog(actor, sql`catalog.id`)}`',
    replace: 'where ${mayViewCatalog(actor, sql`catalog.id`)}`',
    tests: ['server/features/definitions/custom-fields/custom-fields.test.ts'],
  },
  // Locks
  {
    name: 'pipelines-not-closed',
    find: 'from pipelines where account_id = ${actor.accountId} order by id for update',
    replace: 'from pipelines where account_id = ${actor.accountId} order by id',
    tests: ['server/features/definitions/pipelines/pipelines.together.test.ts'],
  },
  {
    name: 'main-not-locked-again',
    find: 'if (needsMain && !locked.some(({ is_main }) => is_main)) await tx.rows(startAgain)',
    replace: '',
    tests: ['server/features/records/leads/leads.together.test.ts'],
  },
  // Leads and pipelines
  {
    name: 'lost-not-closed',
    find: 'return status_id === won || status_id === lost',
    replace: 'return status_id === won',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'last-status',
    find: 'const first = others.find(isOrdinary)',
    replace: 'const first = others[0]',
    tests: ['server/features/definitions/pipelines/statuses/statuses.delete.test.ts'],
  },
  {
    name: 'move-to-unsorted',
    find: 'id !== status_id && type === 0',
    replace: 'id !== status_id',
    tests: ['server/features/definitions/pipelines/statuses/statuses.delete.test.ts'],
  },
  {
    name: 'no-main-pipeline',
    find: 'if (!main.is_main) await promote(tx, actor, main.id)',
    replace: '',
    tests: ['server/features/definitions/pipelines/pipelines.delete.test.ts'],
  },
  {
    name: 'bin-reopened',
    find: 'status_id = case when status_id in (${won}, ${lost}) then status_id else ${status_id} end',
    replace: 'status_id = ${status_id}',
    tests: ['server/features/definitions/pipelines/pipelines.delete.test.ts'],
  },
  {
    name: 'rights-remember-status',
    find: "await tx.rows(forgetInRights(actor, 'users', deleted))",
    replace: '',
    tests: ['server/features/definitions/pipelines/pipelines.forgotten.test.ts'],
  },
  // Values of custom fields
  {
    name: 'field-type-changed',
    find: "if (key === 'type') fault",
    replace: "if (key === 'type' && before.id === 0) fault",
    tests: ['server/features/definitions/custom-fields/custom-fields.test.ts'],
  },
  // Unsorted items
  {
    name: 'unsorted-off',
    find: 'pipeline.is_unsorted_on and (select is_unsorted_on from accounts where id = ${actor.accountId}) as is_unsorted_on',
    replace: 'pipeline.is_unsorted_on',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
]
