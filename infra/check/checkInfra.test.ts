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
    const sets = LAYERS.flatMap((layer) => layer.sets)
    const empty = sets.filter((_, at) => evaluations[at]?.resources.length === 0)
    expect(empty.map(({ name }) => name)).toEqual(['before the code is there', 'roles of Azure', 'no demo cluster'])
  })

  it('run with at least twelve sets of parameters', () => {
    expect(LAYERS.flatMap(({ sets }) => sets).length).toBeGreaterThanOrEqual(12)
  })
})
