// The links of the documents.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

test('links between the documents lead somewhere', () => {
  const pages = ['.', 'docs/decisions', 'docs/guides'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) =>
      name.endsWith('.md') ? path.join(folder, name) : [],
    ),
  )
  const broken = pages.flatMap((page) =>
    [...readFileSync(path.join(root, page), 'utf8').matchAll(/\]\(([^)#]+)/g)]
      .map(([, link]) => link!)
      .filter(
        (link) => !/^https?:/.test(link) && !existsSync(path.join(root, path.dirname(page), link)),
      )
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})
