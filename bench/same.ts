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
      for (const call of reads.filter((_, index) => index % step === 0)) {
        // Both get Kontor's address as Host, because answers contain it in links.
        const request = format(call, bySeller ? account.sellers[0]! : account, kontor)
        const [expected, actual] = [
          (await ours.ask(request)).body,
          (await theirs.ask(request)).body,
        ]
        if (!expected.equals(actual))
          throw new Error(`${name}: ${difference(call.path, expected, actual)}`)
      }
    }
  } finally {
    ours.close()
    theirs.close()
  }
}

function difference(path: string, expected: Buffer, actual: Buffer): string {
  const at = expected.findIndex((byte, index) => byte !== actual[index])
  const from = Math.max(0, (at === -1 ? expected.length : at) - 60)
  const [kontor, plain] = [expected, actual].map((body) => body.toString('utf8', from, from + 160))
  return `the plain floor answers GET ${path} otherwise than Kontor, after ${from} bytes:
Kontor: ${kontor}
plain:  ${plain}`
}
