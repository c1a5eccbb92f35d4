import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../functions/config.ts'
import { clusterEntryFields } from '../../shared/wire/clusterConfig.ts'
import { read } from './pages.ts'

const [, table = ''] = /\| in Karpenter \| in Joiner \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read('docs/migrate.md')) ?? []
const rows = table
  .trim()
  .split('\n')
  .map((row) => row.split('|').slice(1, 3))
const namesIn = (text = ''): readonly string[] => [...text.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)

describe('docs/migrate.md', () => {
  it('names settings of the same name that there are', () => {
    const [same] = rows.filter(([, ours = '']) => ours.includes('settings of the same name'))
    const names = namesIn(same?.[0])
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !(name in SETTINGS.shape))).toEqual([])
  })

  it('names settings, and fields of the entry of a cluster, that there are', () => {
    const names = rows.flatMap(([, ours]) => namesIn(ours)).map((name) => name.split('.')[0] ?? '')
    expect(names.length).toBeGreaterThan(6)
    expect(names.filter((name) => !(name in clusterEntryFields.shape || name in SETTINGS.shape))).toEqual([])
  })
})
