// Faults of server/http.
import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  // Tables that grow
  {
    name: 'query-read-without-a-token',
    find: '(new UnreadQuery(text) as unknown as Nested)',
    replace: 'parseQuery(text)',
    tests: ['server/http/query.test.ts'],
  },
  // Rights to records
  {
    name: 'missing-for-forbidden',
    find: 'if (row.json === null) throw forbidden(',
    replace: 'if (row.json === null) throw notFound(',
    tests: ['server/features/records/leads/leads.test.ts'],
  },
  // Pages, filters and bounds
  {
    name: 'batch-of-251',
    find: 'if (list.length > max)',
    replace: 'if (list.length > max + 1)',
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'page-of-49',
    find: 'const usualLimit = 50',
    replace: 'const usualLimit = 49',
    tests: ['server/features/records/leads/leads.list.test.ts'],
  },
  {
    name: 'page-of-251',
    find: 'const mostRows = 250',
    replace: 'const mostRows = 251',
    tests: ['server/features/records/leads/leads.list.test.ts'],
  },
  {
    name: 'page-without-next',
    find: 'limit: limit + 1 })',
    replace: 'limit })',
    tests: ['server/features/records/leads/leads.list.test.ts'],
  },
  {
    name: 'page-skipped',
    find: 'after ? 0 : skip + (page - 1) * limit',
    replace: 'after ? 0 : page * limit',
    tests: ['server/features/records/leads/leads.list.test.ts'],
  },
  // Links, the bin and complex creation
  {
    name: 'complex-fault-place',
    find: "path: fault.path === '' ? at : `${at}.${fault.path}`",
    replace: 'path: fault.path',
    tests: ['server/features/records/complex/complex.test.ts'],
  },
  {
    name: 'first-fault-only',
    find: '.slice(0, mostItems)',
    replace: '.slice(0, 1)',
    tests: ['server/features/records/complex/complex.test.ts'],
  },
  // Values of custom fields
  {
    name: 'strings-compacted',
    find: 'while (isEscaped(json, end))',
    replace: 'while (isEscaped(json, -1))',
    tests: ['server/http/compact.test.ts'],
  },
  // Admission
  {
    name: 'api-key-in-the-address',
    find: 'const url = withoutKeyParameters(raw, path)',
    replace: 'withoutKeyParameters(raw, path); const url = path',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-in-the-first-address',
    find: 'raw.originalUrl = url',
    replace: '',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  // Request bodies
  {
    name: 'one-deep-form',
    find: "config.takesForms === 'flat' ? flatFormBounds : formBounds",
    replace: "config.takesForms === 'nested' ? flatFormBounds : formBounds",
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'structure',
    find: 'if (total > most)',
    replace: 'if (total > most * 9)',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'keys-of-an-object',
    find: 'if (++keys[level]! > mostKeys)',
    replace: 'if (keys[level]! > mostKeys)',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'not-utf-8',
    find: 'if (!isUtf8(bytes)) throw',
    replace: 'if (bytes.length === 0) throw',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'bytes-in-flight',
    find: "reply.raw.once('close', () => request.bodyCost?.close())",
    replace: "reply.raw.once('finish', () => request.bodyCost?.close())",
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'steps-of-json',
    find: 'if (total >= nextSteps[level]! && level > 0) part(',
    replace: 'if (total < 0) part(',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'large-members',
    find: 'member || level === 1) close(level, passed + at, total)',
    replace: '1e9 || level === 1) close(level, passed + at, total)',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'a-comma-without-a-member',
    find: 'if (isEmpty(members) && !isWhole) throw',
    replace: 'if (isEmpty(members) && to < 0) throw',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'a-word-behind-a-large-member',
    find: 'if (rest < to) throw',
    replace: 'if (rest < from) throw',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'flaw-in-a-later-step',
    find: 'list.length + Number(flaw.path.pop())',
    replace: 'Number(flaw.path.pop())',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'turns-of-bodies',
    find: 'if (!isDone) works.push(turn)',
    replace: 'if (!isDone) works.unshift(turn)',
    tests: ['server/http/turns.test.ts'],
  },
  {
    name: 'turns-of-callers',
    find: '  waiting.delete(caller)',
    replace: '  if (works.length === 0) waiting.delete(caller)',
    tests: ['server/http/turns.test.ts'],
  },
  {
    name: 'work-of-nobody',
    find: 'if (taker.isGone()) throw new Gone()',
    replace: '',
    tests: ['server/http/turns.test.ts'],
  },
  {
    name: 'lists-that-are-too-long',
    find: 'sent.length > most ?',
    replace: 'sent.length > Infinity ?',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'errors-of-a-batch',
    find: 'faulty < mostExplained && errorsMet < mostErrors ? undefined',
    replace: 'faulty < mostExplained ? undefined',
    tests: ['server/http/batch.test.ts'],
  },
  {
    name: 'a-full-answer',
    find: 'if (faulty === mostItems) {',
    replace: 'if (faulty === mostItems * 2) {',
    tests: ['server/http/batch.test.ts'],
  },
  {
    name: 'a-full-item',
    find: 'known !== undefined && known.errors.length >= known.most',
    replace: 'known !== undefined && known.errors.length > known.most',
    tests: ['server/http/batch.test.ts'],
  },
  {
    name: 'two-hosts',
    find: 'return hosts > 1 ? badRequest',
    replace: 'return hosts > 2 ? badRequest',
    tests: ['server/http/protocol.test.ts'],
  },
  {
    name: 'a-list-with-a-gap',
    find: 'keys.every((key, index) => key === String(index)) ?',
    replace: 'keys.every((key) => /^[0-9]+$/.test(key)) ?',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'nul-in-text',
    find: String.raw`if (text.includes('\0')) return { detail`,
    replace: String.raw`if (text.includes('\0\0')) return { detail`,
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'json-depth',
    find: 'if (depth > deepest)',
    replace: 'if (depth > deepest + 1)',
    tests: ['server/http/json.test.ts'],
  },
  {
    name: 'nested-depth',
    find: 'if (names.length > depth)',
    replace: 'if (names.length > depth + 1)',
    tests: ['server/http/nested.test.ts'],
  },
  {
    name: 'nested-pairs',
    find: 'if (count > pairs)',
    replace: 'if (count++ > pairs)',
    tests: ['server/http/nested.test.ts'],
  },
  {
    name: 'repeated-key-of-a-list',
    find: '? lists.flat() : last',
    replace: '? lists.at(-1) : last',
    tests: ['test/routes/repeated-keys.test.ts'],
  },
  {
    name: 'repeated-key-of-a-field',
    find: 'lists.has(memberSchema) ? memberFrom(repeats, key, before[key]) : before[key]',
    replace: 'before[key]',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'repeated-key-of-a-member',
    find: 'isList: text && takesList(inner)',
    replace: 'isList: text',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'repeated-key-of-a-form',
    find: 'parse(text, bounds, newBranch(false))',
    replace: 'parse(text, bounds, newBranch(true))',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'page-zero',
    find: "schema['x-page'] === true ? 1 : 0",
    replace: '0',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'empty-object-no-list',
    find: '!Array.isArray(value) && isEmpty(value) ? [] : sentList(value)',
    replace: 'sentList(value)',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'empty-object-a-list-beside-an-object',
    find: 'list && takesEmptyObject(alternatives, options) ? sentList : sentOrEmptyList',
    replace: 'sentOrEmptyList',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'empty-object-a-batch-of-one',
    find: 'if (isEmpty(body)) return []',
    replace: '',
    tests: ['server/http/batch.test.ts', 'server/http/body.test.ts'],
  },
  {
    name: 'quantity-not-rounded',
    find: "decimals !== undefined && typeof read === 'number' ? rounded(read, decimals) : read",
    replace: 'read',
    tests: [
      'server/http/coerce.test.ts',
      'server/features/records/transactions/transactions.test.ts',
    ],
  },
  {
    name: 'quantity-rounded-in-binary',
    find: 'return Number.isSafeInteger(moved) ? Number(`${moved}e-${decimals}`) : value',
    replace: 'return Number(value.toFixed(decimals))',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'refused-lists-where-unknown-keys-are-ignored',
    find: "if (dropUnknown && 'x-refused' in inner) return always",
    replace: '',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  {
    name: 'null-is-sent',
    find: 'return takesNull ? never : isNull',
    replace: 'return never',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'null-of-all',
    find: "if (isRequired || inner['x-null-refused'] === true) return never",
    replace: 'if (isRequired) return never',
    tests: ['server/http/coerce.test.ts', 'test/routes/members.test.ts'],
  },
  {
    name: 'null-of-required',
    find: "if (isRequired || inner['x-null-refused'] === true) return never",
    replace: "if (inner['x-null-refused'] === true) return never",
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'null-of-nullable',
    find: 'return takesNull ? never : isNull',
    replace: 'return isNull',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'empty-embedded-is-sent',
    find: 'isEmpty(value) || (value === null && !takesNull)',
    replace: 'value === null && !takesNull',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'unknown-null-is-refused',
    find: "value === null || (key === '_embedded' && isEmpty(value))",
    replace: "key === '_embedded' && isEmpty(value)",
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'null-is-false',
    find: 'value === 1 ? true : value === 0 ? false : value',
    replace: 'value === 1 ? true : value === 0 || value === null ? false : value',
    tests: ['server/http/coerce.test.ts'],
  },
  {
    name: 'unknown-keys',
    find: "dropUnknown: unknownKeys === 'ignore'",
    replace: 'dropUnknown: true',
    tests: ['server/http/validate.test.ts'],
  },
  // Channels: who is let in by signature, and whom a channel reaches
  {
    name: 'body-of-a-get-unread',
    find: 'await judge(request, await emptyJsonOf(request))',
    replace: 'await judge(request, noBytes)',
    tests: ['server/features/conversations/messages/messages.test.ts > the history with a body'],
  },
  {
    name: 'channel-parsed-unsigned',
    find: 'if (request.judgeBytes) { await judge(request, bytes)',
    replace:
      'if (request.judgeBytes) { await inStepsOf(request, parse(request, media, bytes, outline)); await judge(request, bytes)',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // Chats: who sees them, in which order, and what marks and moves change
  {
    name: 'channel-converts',
    find: "compile(shape, { mode: isStrict ? 'strict' : 'json', unknownKeys })",
    replace: "compile(shape, { mode: 'json', unknownKeys })",
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // Files: who reads them, what browsers make of them, and where they are fetched from
  {
    name: 'limit-without-its-sign',
    find: "{ code: 'TooLow', limit, detail: `This value should be ${limit} or more.` }",
    replace:
      "{ code: 'TooLow', limit: Math.abs(limit), detail: `This value should be ${limit} or more.` }",
    tests: ['server/http/faults.test.ts > TooLow'],
  },
  // The schemas
  {
    name: 'optional-property-required',
    find: 'filter((key) => !isOptional(properties[key]!))',
    replace: 'filter((key) => key)',
    tests: ['server/http/type.test.ts'],
  },
  {
    name: 'optional-mark-lost',
    find: 'Object.defineProperty({ ...schema }, mark, { value: true })',
    replace: '({ ...schema })',
    tests: ['server/http/type.test.ts'],
  },
  // The addresses that links begin with
  {
    name: 'links-at-near-hosts-for-others',
    find: '(isLocalOnly && loopbackBaseOf(request))',
    replace: '(isLocalOnly !== undefined && loopbackBaseOf(request))',
    tests: ['server/http/addresses.test.ts > answers a near host with links'],
  },
  {
    name: 'links-at-any-port',
    find: 'return port === String(socket.localPort) ?',
    replace: 'return port !== undefined ?',
    tests: ['server/http/addresses.test.ts > answers any other host with links'],
  },
  {
    name: 'links-at-longer-hosts',
    find: '(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::(\\d+))?$/i',
    replace: '(?:localhost|127\\.0\\.0\\.1|\\[::1\\])[^:]*(?::(\\d+))?$/i',
    tests: ['server/http/addresses.test.ts > answers any other host with links'],
  },
]
