import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { checkInfra } from './checkInfra.ts'
import { LAYERS } from './parameterSets.ts'
import { repositorySources } from './sources.ts'

const sources = repositorySources(repositoryRoot)

describe('the templates of the repository', () => {
  it('are without problems, with every set of parameters', async () => {
    const { findings, evaluations } = await checkInfra(sources)
    expect(findings).toEqual([])
    expect(evaluations.map(({ resources }) => resources.length).every((count) => count > 0)).toBe(true)
  })

  it('run with at least twelve sets of parameters', () => {
    expect(LAYERS.flatMap(({ sets }) => sets).length).toBeGreaterThanOrEqual(12)
  })
})
