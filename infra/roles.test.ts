import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../scripts/floors.ts'
import { createEvaluator } from './check/evaluate/evaluate.ts'
import { MAIN_SETS } from './check/parameterSets.ts'
import { at } from './check/rules/rule.ts'
import { repositorySources } from './check/sources.ts'
import { actionRows, SECTIONS } from './rights/page.ts'

const { custom, builtIn } = JSON.parse(readFileSync(join(import.meta.dirname, 'roles.json'), 'utf8')) as {
  readonly custom: { readonly [role: string]: readonly string[] }
  readonly builtIn: { readonly eventGridDataSender: string }
}
/** Returns the heading for a role: `Role node group` for `nodeGroup`. */
const titleOf = (role: string): string => `Role ${role}`.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

describe('the roles of the app in Azure', () => {
  it('are those of docs/rights.md', () => {
    const titles = [...SECTIONS.keys()].filter((heading) => heading.startsWith('Role '))
    expect(Object.keys(custom).map(titleOf).sort()).toEqual(titles.sort())
  })

  it.each(Object.entries(custom))('%s has the actions of docs/rights.md, each with a reason', (role, actions) => {
    const rows = actionRows(titleOf(role))
    expect(rows.map(({ action }) => action).sort()).toEqual([...actions].sort())
    expect(rows.filter(({ why }) => why.length === 0)).toEqual([])
  })

  it('neither run commands, nor touch scale sets, nor read credentials, nor end with a wildcard', () => {
    const all = Object.values(custom).flat()
    expect(all.filter((action) => /runCommand|virtualMachineScaleSets|credential|\*/i.test(action))).toEqual([])
  })
})

const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)

/** A service account of a cluster can act as an identity in Azure if the identity has a federated credential for it. */
const CREDENTIAL = 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials'

describe('what runs in a cluster', () => {
  it.each(MAIN_SETS)('may publish to a topic in Azure, and may make no machine: $name', (set) => {
    const { resources } = evaluator.evaluate('infra/main.bicep', set.parameters, set)
    const identities = new Set(resources.filter(({ type }) => type === CREDENTIAL).map(({ id }) => id.split('/').slice(0, -2).join('/')))
    expect(identities.size).toBeGreaterThan(0)
    for (const identity of identities) {
      const assigned = resources.filter(
        (resource) =>
          resource.type === 'Microsoft.Authorization/roleAssignments' &&
          JSON.stringify(at(resource, 'properties.principalId')).includes(`<${identity}#`),
      )
      expect(assigned.map((resource) => String(at(resource, 'properties.roleDefinitionId')).split('/').at(-1))).toEqual([
        builtIn.eventGridDataSender,
      ])
      expect(assigned[0]?.id).toMatch(/\/Microsoft\.EventGrid\/topics\/[^/]+\/providers\/Microsoft\.Authorization\/roleAssignments\//)
    }
  })
})

describe('a role on what others own', () => {
  it.each(MAIN_SETS)('has a description by which `azd down` finds it when its identity is gone: $name', (set) => {
    const { resources, outputs } = evaluator.evaluate('infra/main.bicep', set.parameters, set)
    const own = `/resourcegroups/${String(outputs['AZURE_RESOURCE_GROUP'])}/`.toLowerCase()
    const foreign = resources.filter(
      ({ id, type }) => type === 'Microsoft.Authorization/roleAssignments' && !id.toLowerCase().includes(own),
    )
    expect(foreign.length).toBeGreaterThan(0)
    const descriptions = new Set(foreign.map((each) => at(each, 'properties.description')))
    expect([...descriptions]).toEqual([`joiner-${String(outputs['JOINER_TOKEN'])}`])
  })
})
