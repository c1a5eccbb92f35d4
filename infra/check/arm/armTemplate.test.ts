import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEvaluator } from '../evaluate/evaluate.ts'
import type { Json } from '../evaluate/value.ts'
import { armTemplate } from './armTemplate.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const COMPILED = join(ROOT, '..', 'shared', 'data', 'bicep-compiled')

const FILES: { readonly [path: string]: string } = {
  'types.bicep': "@export()\n@description('A kind.')\ntype kind = 'b' | 'a'\n@export()\ntype other = string\n",
  'part.bicep': '',
  'main.bicep': `targetScope = 'subscription'
import { kind } from 'types.bicep'
type pair = {
  @minLength(1)
  left: string
  right: int?
  *: bool
}
@description('One.')
@metadata({ azd: { type: 'location' } })
@allowed(['x', 'y'])
param one string = 'x'
@secure()
param two string
param three kind[]?
param four pair
param five string = utcNow('yyyy-MM-01')
param six object = { a: [true, -1, null, '[b'] }
resource group 'Microsoft.Resources/resourceGroups@2025-04-01' existing = {
  name: 'rg'
}
module part 'part.bicep' = {
  scope: group
}
output ONE string = one
output TWO array = []
`,
}

/** The template of a file as Bicep 0.49.2 prints it, but for what its resources and outputs say. */
const WANTED: { readonly [member: string]: Json } = {
  $schema: 'https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#',
  languageVersion: '2.0',
  contentVersion: '1.0.0.0',
  metadata: { _generator: { name: 'joiner', templateHash: 'd' }, joiner: { source: 'main.bicep' } },
  definitions: {
    pair: {
      type: 'object',
      properties: { left: { type: 'string', minLength: 1 }, right: { type: 'int', nullable: true } },
      additionalProperties: { type: 'bool' },
    },
    kind: {
      type: 'string',
      allowedValues: ['a', 'b'],
      metadata: { description: 'A kind.', '__bicep_imported_from!': { sourceTemplate: 'types.bicep' } },
    },
  },
  parameters: {
    one: { type: 'string', allowedValues: ['x', 'y'], defaultValue: 'x', metadata: { description: 'One.', azd: { type: 'location' } } },
    two: { type: 'securestring' },
    three: { type: 'array', items: { $ref: '#/definitions/kind' }, nullable: true },
    four: { $ref: '#/definitions/pair' },
    five: { type: 'string', defaultValue: "[utcNow('yyyy-MM-01')]" },
    six: { type: 'object', defaultValue: { a: [true, -1, null, '[[b'] } },
  },
  resources: {
    group: { existing: true, type: 'Microsoft.Resources/resourceGroups', apiVersion: '2025-04-01' },
    part: { type: 'Microsoft.Resources/deployments', apiVersion: '2025-04-01' },
  },
  outputs: { ONE: { type: 'string' }, TWO: { type: 'array' } },
}

const read = (path: string): string | undefined => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined)

/** A member of the type `cluster` that is newer than the compiled files. */
const ADDED_TO_CLUSTER = 'diskEncryptionSetId'
/** Modules that are newer, as is the output JOINER_TENANT_ID. */
const ADDED_TO_MAIN = ['diskRights', 'networkRights', 'topicRights']
type Said = { [name: string]: { properties?: { [member: string]: unknown } } }

/** What a template says, without its descriptions, which are words for people and change often. */
function said(value: unknown): Said {
  return JSON.parse(JSON.stringify(value ?? {}, (key, each: unknown) => (key === 'description' ? undefined : each)))
}

describe('the template that azd reads without Bicep', () => {
  it('has the parameters, types and outputs of the file', async () => {
    expect(armTemplate(await createEvaluator((path) => FILES[path]), 'main.bicep', 'd')).toEqual(WANTED)
  })

  it('is refused where a default is computed', async () => {
    const evaluator = await createEvaluator(() => "param one string = '${subscription().id}'\n")
    expect(() => armTemplate(evaluator, 'main.bicep', 'd')).toThrow('a default that is computed is not supported')
  })

  it.each(['infra/main.bicep', 'infra/demo.bicep', 'infra/roles.bicep', 'infra/events.bicep'])('is there for %s', async (main) => {
    expect(armTemplate(await createEvaluator(read), main, 'd')).toMatchObject({ metadata: { joiner: { source: main } } })
  })

  // The compiled files are of an earlier state: what was neither added, removed nor described anew since must be the same.
  it.skipIf(!existsSync(COMPILED)).each(['main', 'demo', 'events'])('agrees with what the compiler made of %s', async (name) => {
    const ours = armTemplate(await createEvaluator(read), `infra/${name}.bicep`, 'd')
    const theirs: { readonly parameters: object; readonly definitions?: object; readonly resources: object; readonly outputs: object } =
      JSON.parse(readFileSync(join(COMPILED, `${name}.json`), 'utf8'))
    const { subnets: _, ...parameters } = said(ours['parameters'])
    const definitions = said(ours['definitions'])
    delete definitions['cluster']?.properties?.[ADDED_TO_CLUSTER]
    expect(Object.keys(parameters).length).toBeGreaterThan(4)
    expect(said(theirs.parameters)).toMatchObject(parameters)
    expect(said(theirs.definitions)).toMatchObject(definitions)
    const resources = said(ours['resources'])
    for (const added of ADDED_TO_MAIN) delete resources[added]
    expect(theirs.resources).toMatchObject(resources)
    const { JOINER_TENANT_ID: __, ...outputs } = said(ours['outputs'])
    expect(said(theirs.outputs)).toMatchObject(outputs)
  })
})
