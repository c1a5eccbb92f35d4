import { describe, expect, it } from 'vitest'
import { readCleanup } from './cleanupCommand.ts'

const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop'
const FULL = ['--cluster', ID, '--group', 'rg-joiner-test']

describe('the arguments of cleanup', () => {
  it('are clusters and the resource group of Joiner', () => {
    expect(readCleanup(FULL, true)).toMatchObject({
      ok: true,
      value: {
        clusters: [{ resourceId: ID, overrides: {} }],
        installation: { subscriptionId: 's', resourceGroup: 'rg-joiner-test', token: undefined },
        wish: { machines: 'ask' },
        release: { name: 'joiner', namespace: 'joiner' },
        by: 'self',
        dryRun: false,
      },
    })
    const more = ['--name', 'other', '--subscription', 't', '--machine-prefix', 'own-', '--keep', '--timeout', '1h']
    expect(readCleanup([...FULL, ...more], false)).toMatchObject({
      value: {
        clusters: [{ name: 'other', overrides: { machinePrefix: 'own-' } }],
        installation: { subscriptionId: 't' },
        wish: { machines: 'keep', limit: 3_600_000 },
      },
    })
  })

  it('ask for nobody where nothing is changed, or all is said', () => {
    expect(readCleanup([...FULL, '--dry-run'], false)).toMatchObject({ value: { dryRun: true } })
    expect(readCleanup([...FULL, '--yes'], false)).toMatchObject({ value: { wish: { machines: 'drain' } } })
  })

  it.each([
    [[], '--cluster is missing'],
    [['--cluster', 'shop'], '--cluster shop is not the resource id'],
    [['--cluster', ID], '--group is missing'],
    [[...FULL, '--cluster', `${ID}2`, '--name', 'x'], '--name is for one cluster'],
    [[...FULL, '--token', 'short'], '--token short must be 13'],
    [[...FULL, '--yes', '--timeout', 'soon'], '--timeout is soon'],
    [FULL, 'the terminal is not interactive: add --yes'],
    [['--clusters', ID], "Unknown option '--clusters'"],
  ])('%j are refused: %s', (args, why) => {
    expect(readCleanup(args, false)).toEqual({ ok: false, error: expect.stringContaining(why) })
  })

  it('ask for help', () => expect(readCleanup(['--help'], false)).toEqual({ ok: true, value: 'help' }))
})
