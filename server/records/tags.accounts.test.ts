// Tags are an account's own, although their names are everybody's.
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'

const kinds = ['leads', 'contacts', 'companies'] as const

async function tagsOf({ api }: TestAccount, path: string): Promise<{ id: number; name: string }[]> {
  return (await api.get(path)).body._embedded.tags
}

test.each(kinds)(
  '%s with a tag that another account has by that name get a tag of their own',
  async (type) => {
    const [mine, other] = [await newAccount(), await newAccount()]
    const tagged = async ({ api }: TestAccount) => {
      const { body } = await api.post(`/api/v4/${type}`, [
        { name: 'A', _embedded: { tags: [{ name: 'Known' }] } },
      ])
      return `/api/v4/${type}/${body._embedded[type][0].id}`
    }
    const theirs = await tagsOf(other, await tagged(other))
    const path = await tagged(mine)
    const own = await tagsOf(mine, path)
    expect(own).toMatchObject([{ name: 'Known' }])
    expect(own[0]!.id).not.toBe(theirs[0]!.id)

    await other.api.post(`/api/v4/${type}`, [{ name: 'B', tags_to_add: [{ name: 'Later' }] }])
    await mine.api.patch(path, { tags_to_add: [{ name: 'later' }] })
    expect(await tagsOf(mine, path)).toMatchObject([{ name: 'Known' }, { name: 'later' }])
    await mine.api.patch(path, { tags_to_delete: [{ name: 'KNOWN' }] })
    expect(await tagsOf(mine, path)).toMatchObject([{ name: 'later' }])
  },
)
