/** What the emulators do is known from somewhere: each row says from where, and when that was read. */
import { describe, expect, it } from 'vitest'
import { read } from './pages.ts'

const page = read('docs/local/sources.md')
/** Rows of the tables that have a source. */
const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, what = '', source = '', day = '']) => ({ what, source, day }))
  .filter(({ what }) => what !== 'what it does' && what !== '---')

/** A page on the web, or a repository with a path in it. */
const SOURCE = /https:\/\/[\w.-]+\/\S|\b[\w-]+\/[\w.-]+, `[\w./-]+`/
const DAY = /^2\d{3}-\d\d-\d\d\b/

describe('docs/local/sources.md', () => {
  it('is read', () => expect(rows.length).toBeGreaterThan(20))

  it.each(rows)('$what', ({ source, day }) => {
    expect(source).toMatch(SOURCE)
    expect(day).toMatch(DAY)
  })
})

describe('what docs/local/cluster.md says of kubelets', () => {
  it.each([
    ['labels that a kubelet may not give itself', /label .* may not give itself/],
    ['memory that the hypervisor keeps', /memory .*hypervisor/],
    ['GPUs that appear later', /GPUs appear/],
    ['pods that a kubelet turns away', /`OutOfcpu`/],
    ['bootstrap and signing', /bootstrap token/],
    ['flags that contradict each other', /contradict/],
  ])('has its sources: %s', (_, words) => {
    expect(read('docs/local/cluster.md').replaceAll('\n', ' ')).toMatch(words)
    expect(rows.some(({ what }) => words.test(what))).toBe(true)
  })
})
