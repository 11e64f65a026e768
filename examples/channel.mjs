// A chat channel in plain Node.js. Each line that you type reaches Kontor as a message of a client,
// and answers that are written in Kontor are printed here. docs/guides/chats.md ("Try it") says how
// to register the channel; the environment holds what the registration answered:
//
//   ADDRESS=… SECRET=… ACCOUNT_ID=… node examples/channel.mjs
//
// The channel takes callbacks on HOOK_PORT, 8090 by default.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const { ADDRESS, SECRET, ACCOUNT_ID, HOOK_PORT = '8090' } = process.env
if (!URL.canParse(ADDRESS) || !SECRET || !ACCOUNT_ID) end('set ADDRESS, SECRET and ACCOUNT_ID')
const client = { id: 'client-1', name: 'Ann', avatar: 'https://example.com/ann.png' }

function end(why) {
  console.error(`channel: ${why}`)
  process.exit(1)
}

/** The signature of a body, in both directions. */
const sign = (body) => createHmac('sha1', SECRET).update(body).digest('hex')

/** Sends a request of the protocol. `isLost`: nobody knows whether it arrived, so send it again. */
async function post(address, content) {
  const body = JSON.stringify(content)
  const headers = { 'content-type': 'application/json', 'x-signature': sign(body) }
  try {
    const response = await fetch(address, { method: 'POST', headers, body })
    const { status } = response
    const answer = await response.json()
    if (status === 200) return { answer }
    const hint = status === 403 ? ' (is SECRET right?)' : ''
    const error = `Kontor answered ${status}: ${answer.error_description}${hint}`
    return { error, isLost: status === 429 || status >= 500 }
  } catch (error) {
    return { error: error.cause?.message || error.message, isLost: true }
  }
}

const connection = { account_id: ACCOUNT_ID, title: 'Terminal', hook_api_version: 'v2' }
const connected = await post(`${ADDRESS}/connect`, connection)
if (connected.error) end(`cannot connect the account. ${connected.error}`)
const scope = new URL(connected.answer.scope_id, ADDRESS).href

/** Publishes a message. Sent again under the same msgid, it is stored once. */
async function publish(text) {
  const now = Date.now()
  const names = { msgid: randomUUID(), conversation_id: 'terminal', sender: client }
  const time = { timestamp: Math.floor(now / 1000), msec_timestamp: now }
  const payload = { ...names, ...time, message: { type: 'text', text } }
  for (;;) {
    const { answer, error, isLost } = await post(scope, { event_type: 'new_message', payload })
    if (!isLost) return console.log(error ? `! ${error}` : `> ${answer.new_message.msgid}`)
    console.log(`! ${error}. It is sent again.`)
    await pause(2000)
  }
}

/** The messages that were printed: after a crash of Kontor, a message may come a second time. */
const taken = new Set()

/** Takes a message that was written in Kontor: answers at once, prints and reports it as read. */
async function take(request, response) {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  const [own, given] = [sign(body), request.headers['x-signature'] ?? ''].map((hex) =>
    Buffer.from(hex),
  )
  const isSigned = own.length === given.length && timingSafeEqual(own, given)
  response.writeHead(isSigned ? 200 : 403).end()
  if (!isSigned) return
  const { id, text, media } = JSON.parse(body).message.message
  if (!taken.has(id)) console.log(`< ${text} ${media}`.trimEnd())
  taken.add(id)
  const { error } = await post(`${scope}/${id}/delivery_status`, { msgid: id, delivery_status: 2 })
  if (error) console.log(`! ${error}`)
}

createServer((request, response) => {
  take(request, response).catch(({ message }) => console.log(`! ${message}`))
})
  .on('error', ({ message }) => end(message))
  .listen(Number(HOOK_PORT), '127.0.0.1', () => console.log('Connected. Type a message.'))

for await (const line of createInterface({ input: process.stdin }))
  if (line.trim() !== '') await publish(line)
