import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { repositoryRoot } from './floors.ts'
import { LONGEST, LongestFirst } from './longestFirst.ts'

const file = (name: string, groupOrder: number, project = 'parts') => {
  const config = { sequence: { groupOrder }, isolate: true, root: repositoryRoot }
  return { moduleId: join(repositoryRoot, name), project: { name: project, config } } as unknown as TestSpecification
}

describe('the order of test files', () => {
  it('names files that are there, each once', () => {
    expect(LONGEST.filter((name) => !existsSync(join(repositoryRoot, name)))).toEqual([])
    expect(new Set(LONGEST).size).toBe(LONGEST.length)
  })

  it('keeps groups apart, begins each with its longest whatever their project, and loses none', async () => {
    const [first, second, third] = LONGEST
    const names: readonly (readonly [string, number, string])[] = [
      ['test/rights/suite.test.ts', 1, 'end to end'],
      [third, 1, 'chaos'],
      ['scripts/floors.ts', 0, 'parts'],
      [second, 1, 'end to end'],
      [first, 1, 'control plane'],
      [LONGEST.at(-1) ?? '', 0, 'parts'],
    ]
    const none = { cache: { getTestSpecificationResult: () => undefined } } as unknown as Vitest
    const sorted = await new LongestFirst(none).sort(names.map(([name, group, project]) => file(name, group, project)))
    expect(sorted.map(({ moduleId }) => moduleId.slice(repositoryRoot.length + 1))).toEqual([
      LONGEST.at(-1),
      'scripts/floors.ts',
      first,
      second,
      third,
      'test/rights/suite.test.ts',
    ])
  })
})
