import { describe, expect, it } from 'vitest'
import type { InstallFacts } from '../../model/installFacts.ts'
import { preflightInstallation } from './preflightInstallation.ts'

const OWNER = { actions: ['*'], notActions: [] }
const CONTRIBUTOR = { actions: ['*'], notActions: ['Microsoft.Authorization/*/Delete', 'Microsoft.Authorization/*/Write'] }
const SCOPE = '/subscriptions/s'
const NEEDS = ['Microsoft.Resources/deployments/write', 'Microsoft.Authorization/roleAssignments/write']
const SUBNET = '/subscriptions/s/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/app'
const GOOD: InstallFacts = {
  environmentName: 'dev',
  location: 'westeurope',
  flexRegions: ['eastus', 'westeurope'],
  providers: [{ namespace: 'Microsoft.App', state: 'Registered' }],
  permissions: [{ scope: SCOPE, needs: NEEDS, granted: [OWNER] }],
  tools: [{ name: 'azd', least: '1.25.0', version: '1.25.0', remedy: 'install it' }],
  subnets: [{ id: SUBNET, purpose: 'app', found: { bits: 27, delegations: ['Microsoft.App/environments'], takenBy: [] } }],
  charts: [{ cluster: 'shop', release: 'joiner', installed: '0.1.0', ours: '0.1.0' }],
  provisioners: [],
}
const app = (found: InstallFacts['subnets'][number]['found']): Partial<InstallFacts> => ({
  subnets: [{ id: SUBNET, purpose: 'app', ...(found === undefined ? {} : { found }) }],
})
const granted = (...all: InstallFacts['permissions'][number]['granted']): Partial<InstallFacts> => ({
  permissions: [{ scope: SCOPE, needs: NEEDS, granted: all }],
})
const tool = (version?: string): Partial<InstallFacts> => ({
  tools: [{ name: 'helm', least: '3.14.0', remedy: 'install it', ...(version === undefined ? {} : { version }) }],
})
const image = (state: NonNullable<InstallFacts['shimImage']>['state'], hasSecrets = false): Partial<InstallFacts> => ({
  shimImage: { image: 'r/shim:1', state, hasSecrets },
})
const chart = (installed: string): Partial<InstallFacts> => ({ charts: [{ cluster: 'shop', release: 'joiner', installed, ours: '0.9.2' }] })
const DELEGATED = { delegations: ['microsoft.app/Environments'], takenBy: [] }

describe('the preflight of an installation', () => {
  it('finds nothing where all is well, or where nothing could be read', () => {
    expect(preflightInstallation(GOOD)).toEqual([])
    const { location: _, flexRegions: __, ...unread } = GOOD
    expect(preflightInstallation({ ...unread, permissions: [], providers: [], subnets: [], charts: [], tools: [] })).toEqual([])
  })

  it.each<[string, Partial<InstallFacts>, readonly string[]]>([
    [
      'a Karpenter that runs',
      {
        provisioners: [
          { cluster: 'shop', name: 'Karpenter', shownBy: { kind: 'Deployment', namespace: 'kube-system', name: 'karpenter' } },
        ],
      },
      ['fail PREFLIGHT.OTHER_PROVISIONER shop: Karpenter runs, as the Deployment kube-system/karpenter shows'],
    ],
    ['a name that is too long', { environmentName: 'e'.repeat(41) }, ['fail PREFLIGHT.NAME eee']],
    ['no name', { environmentName: '' }, ['fail PREFLIGHT.NAME ']],
    ['a name that a resource group cannot have', { environmentName: 'dev.' }, ['fail PREFLIGHT.NAME dev.']],
    ['a region without Flex Consumption', { location: 'westindia' }, ['fail PREFLIGHT.REGION westindia']],
    ['an image that is published', image('found'), []],
    ['an image that is not there', image('absent'), ['fail PREFLIGHT.IMAGE r/shim:1: the registry does not have the image']],
    [
      'an image that nobody is shown',
      image('refused'),
      ['fail PREFLIGHT.IMAGE r/shim:1: the registry does not show the image of the shim to anybody'],
    ],
    ['a private image and secrets for it', image('refused', true), ['warn PREFLIGHT.IMAGE r/shim:1: the registry does not show']],
    ['secrets for an image that is not there', image('absent', true), ['fail PREFLIGHT.IMAGE']],
    ['a registry to build in that is not there', image('noRegistry'), ['fail PREFLIGHT.IMAGE r/shim:1: az finds no container registry']],
    [
      'an app that refuses its settings',
      { app: { name: 'func', state: 'refused', message: 'it refuses its settings (GC_SCHEDULE)' } },
      ['warn PREFLIGHT.APP func: it refuses its settings (GC_SCHEDULE)'],
    ],
    ['an app without functions', { app: { name: 'func', state: 'empty' } }, ['warn PREFLIGHT.APP func: the app has no function']],
    ['a program that is missing', tool(), ['fail PREFLIGHT.TOOL helm: it is not installed; 3.14.0 or newer is needed']],
    ['a program that is too old', tool('v3.9.4'), ['fail PREFLIGHT.TOOL helm: v3.9.4 is older than 3.14.0']],
    ['a newer program', tool('4.0.0-rc.1'), []],
    ['no rights', granted(), [`fail PREFLIGHT.RIGHTS ${SCOPE}: the account that is logged in has no right to ${NEEDS.join(', ')}`]],
    [
      'the rights of a contributor',
      granted(CONTRIBUTOR),
      [`fail PREFLIGHT.RIGHTS ${SCOPE}: the account that is logged in has no right to ${NEEDS[1]}`],
    ],
    ['rights of two roles', granted(CONTRIBUTOR, { actions: ['microsoft.authorization/roleassignments/*'], notActions: [] }), []],
    [
      'a right that only looks alike',
      granted(CONTRIBUTOR, { actions: ['Microsoft.Authorization/role*/read'], notActions: [] }),
      ['fail PREFLIGHT.RIGHTS'],
    ],
    [
      'a provider that is not registered',
      { providers: [{ namespace: 'Microsoft.App', state: 'NotRegistered' }] },
      ['warn PREFLIGHT.PROVIDER Microsoft.App'],
    ],
    ['a provider on its way', { providers: [{ namespace: 'Microsoft.App', state: 'Registering' }] }, []],
    ['no such subnet', app(undefined), [`fail PREFLIGHT.SUBNET ${SUBNET}: the subnet for app does not exist`]],
    ['a subnet that is too small', app({ bits: 28, ...DELEGATED }), [`fail PREFLIGHT.SUBNET ${SUBNET}: a /28 is too small`]],
    [
      'a subnet that is not delegated',
      app({ bits: 26, delegations: [], takenBy: [] }),
      [`fail PREFLIGHT.SUBNET ${SUBNET}: the subnet is not delegated`],
    ],
    [
      'a subnet that is taken',
      app({ bits: 26, ...DELEGATED, takenBy: ['nic-1'] }),
      [`fail PREFLIGHT.SUBNET ${SUBNET}: the subnet is used by nic-1`],
    ],
    [
      'a small subnet of endpoints',
      { subnets: [{ id: SUBNET, purpose: 'endpoints', found: { bits: 28, delegations: [], takenBy: ['x'] } }] },
      [],
    ],
    ['a newer chart', chart('0.10.0'), ['fail PREFLIGHT.CHART shop: chart joiner 0.10.0 is installed, and this is 0.9.2']],
    ['an older chart', chart('0.9.1'), []],
    [
      'a chart of another app',
      { charts: [{ cluster: 'shop', release: 'joiner', installed: '0.9.2', ours: '0.9.2', otherApp: 'https://other' }] },
      ['fail PREFLIGHT.CHART shop: chart joiner in the cluster posts to the app https://other, which is not of this environment'],
    ],
  ])('of %s', (_, over, expected) => {
    const told = preflightInstallation({ ...GOOD, ...over }).map(
      ({ severity, code, object, message }) => `${severity} ${code} ${object}: ${message}`,
    )
    expect(told).toEqual(
      expected.map((start) => expect.stringMatching(new RegExp(`^${start.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`))),
    )
  })

  it('tells what fails before what warns, each with what to do', () => {
    const findings = preflightInstallation({
      ...GOOD,
      providers: [{ namespace: 'Microsoft.App', state: 'Unregistered' }],
      location: 'x',
      ...tool(),
    })
    expect(findings.map(({ severity }) => severity)).toEqual(['fail', 'fail', 'warn'])
    for (const { remedy } of findings) expect(remedy).not.toBe('')
  })
})
