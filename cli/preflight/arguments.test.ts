import { describe, expect, it } from 'vitest'
import { readArguments } from './arguments.ts'

const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop'
const read = (...args: readonly string[]) => readArguments(args)

describe('the arguments of preflight', () => {
  it('are variables as azd has them', () => {
    expect(read('--cluster', ID, '--cluster', `${ID}2`, '--network', 'vnet', '--subscription', 's', '--location', 'eastus')).toEqual({
      ok: true,
      value: {
        format: 'text',
        environment: { JOINER_CLUSTER_IDS: `${ID} ${ID}2`, JOINER_NETWORK: 'vnet', AZURE_SUBSCRIPTION_ID: 's', AZURE_LOCATION: 'eastus' },
      },
    })
    expect(read('--env', 'dev', '--format', 'json')).toEqual({
      ok: true,
      value: { format: 'json', azdEnvironment: 'dev', environment: {} },
    })
  })

  it('ask for help', () => expect(read('--help', '--network', 'x')).toEqual({ ok: true, value: 'help' }))

  it.each([
    [['--cluster', 'shop'], '--cluster shop is not the resource id'],
    [['--cluster', ID, '--network', 'internet'], '--network internet is none of public, vnet, private'],
    [['--cluster', ID, '--format', 'yaml'], '--format yaml is none of text, json'],
    [['--clusters', ID], "Unknown option '--clusters'"],
    [['--cluster', ID, 'more'], 'more'],
  ])('%j are refused: %s', (args, why) => {
    const answer = read(...args)
    expect(answer).toEqual({ ok: false, error: expect.stringContaining(why) })
  })
})
