/** Every behaviour of the emulators has a source: each row names the source and the day on which it was read. */
import { describe, expect, it } from 'vitest'
import { read } from './pages.ts'

const page = read('docs/local/sources.md')
/** The rows of the tables, without the heads. */
const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, what = '', source = '', day = '']) => ({ what, source, day }))
  .filter(({ what }) => what !== 'what it does' && what !== '---')

/** The address of a web page, or a repository with a path in it. */
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
