/** An API server with Joiner's definitions accepts the YAML of the pages, with strict field validation. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withServer } from '../../local/kubernetes/testing/withServer.ts'
import { collectionPath, parseManifests } from '../../local/manifests.ts'
import { blocksOf, PAGES, read } from './pages.ts'

const DEFINITIONS = 'charts/joiner-crd/templates'
const blocks = PAGES.flatMap((page) => blocksOf(page, read(page))).filter(({ language }) => language === 'yaml')

describe('YAML on pages', () => {
  it('is found', () => expect(blocks.map(({ page }) => page)).toContain('docs/concepts.md'))

  it.each(blocks)('$page, line $line, is taken by the API server', async ({ text, page, line }) => {
    await withServer({}, async ({ call }) => {
      for (const file of readdirSync(`${DEFINITIONS}`).filter((name) => name.endsWith('.yaml')))
        for (const each of parseManifests(read(`${DEFINITIONS}/${file}`))) await call('POST', collectionPath(each), each)
      for (const each of parseManifests(text)) {
        const answer = await call('POST', `${collectionPath(each)}?fieldValidation=Strict`, each)
        expect(answer, `${page}, line ${line}: ${each.kind} ${each.metadata.name}`).toMatchObject({ code: 201 })
      }
    })
  })
})
