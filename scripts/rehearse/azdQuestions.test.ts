import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEvaluator, type Evaluator } from '../../infra/check/evaluate/evaluate.ts'
import { repositoryRoot } from '../floors.ts'
import { azdQuestions, requireNoQuestions, withoutOutputs } from './azdQuestions.ts'

const readText = (path: string): string | undefined =>
  existsSync(join(repositoryRoot, path)) ? readFileSync(join(repositoryRoot, path), 'utf8') : undefined
const NEW = { AZURE_ENV_NAME: 'dev', AZURE_LOCATION: 'westeurope' }
let evaluator: Evaluator

beforeAll(async () => {
  evaluator = await createEvaluator(readText)
})

describe('azd', () => {
  it('asks for the clusters until the hook has written them, be they none', () => {
    const layer = { evaluator, main: 'infra/main.bicep', readText }
    expect(azdQuestions(layer, NEW)).toEqual(['clusters (JOINER_CLUSTER_FACTS)'])
    expect(azdQuestions(layer, { ...NEW, JOINER_CLUSTER_FACTS: '[]' })).toEqual([])
  })

  it('asks for the region again once the layer is gone that put it out', () => {
    const layer = { evaluator, main: 'infra/demo.bicep', readText }
    expect(() => requireNoQuestions(layer, withoutOutputs(NEW, { JOINER_TOKEN: 'x' }))).not.toThrow()
    expect(() => requireNoQuestions(layer, withoutOutputs(NEW, { AZURE_LOCATION: 'westeurope' }))).toThrow('location (AZURE_LOCATION)')
  })

  it('asks for a nullable parameter of a named type, and not for a plain one', async () => {
    const files: Record<string, string> = {
      'a.bicep': `type own = { a: string }
param one own?

@description('Plain.')
param two object?

@description('Has a default.')
param three string = ''
`,
    }
    const own = await createEvaluator((path) => files[path])
    expect(azdQuestions({ evaluator: own, main: 'a.bicep', readText: () => undefined }, {})).toEqual(['one (no variable)'])
  })
})
