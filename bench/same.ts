// Checks that the second floor gives the same answers as Kontor, byte for byte. Otherwise it proves
// nothing.
import { format, open } from './connection.ts'
import type { Account, Scenario } from './scenarios.ts'

/** The number of compared requests per scenario, spread over all of them. */
const compared = 50

/**
 * Asks Kontor and the floor for the same. Throws at the first answer that differs in a byte. Skips
 * writes, which answer with new ids each time.
 */
export async function checkSame(
  scenarios: Scenario[],
  account: Account,
  kontor: number,
  floor: number,
): Promise<void> {
  const [ours, theirs] = await Promise.all([open(kontor), open(floor)])
  try {
    for (const { name, calls, bySeller } of scenarios) {
      const reads = calls(account).filter(({ method }) => method === 'GET')
      const step = Math.ceil(reads.length / compared)
      for (const call of reads.filter((_, place) => place % step === 0)) {
        // Both get Kontor's address as Host, because answers contain it in links.
        const request = format(call, bySeller ? account.sellers[0]! : account, kontor)
        const [wanted, given] = [(await ours.ask(request)).body, (await theirs.ask(request)).body]
        if (!wanted.equals(given))
          throw new Error(`${name}: ${difference(call.path, wanted, given)}`)
      }
    }
  } finally {
    ours.close()
    theirs.close()
  }
}

function difference(path: string, wanted: Buffer, given: Buffer): string {
  const at = wanted.findIndex((byte, place) => byte !== given[place])
  const from = Math.max(0, (at === -1 ? wanted.length : at) - 60)
  const [kontor, plain] = [wanted, given].map((body) => body.toString('utf8', from, from + 160))
  return `the plain floor answers GET ${path} otherwise than Kontor, after ${from} bytes:
Kontor: ${kontor}
plain:  ${plain}`
}
