import { describe, expect, it } from 'vitest'
import { appSettingsFrom } from './translate.ts'

const gates = (value: string): object[] => [{ name: 'FEATURE_GATES', value }]

describe('the environment of Karpenter as settings of the app', () => {
  it('has the defaults of Karpenter without variables', () => {
    expect(appSettingsFrom(undefined)).toEqual({ NODE_REPAIR: 'off', TERMINATE_FIRST: 'off' })
    expect(appSettingsFrom([])).toEqual({ NODE_REPAIR: 'off', TERMINATE_FIRST: 'off' })
  })

  it.each([
    ['NodeRepair=true', { NODE_REPAIR: 'on', TERMINATE_FIRST: 'off' }],
    ['NodeRepair=false, TerminateFirstDrift=true', { NODE_REPAIR: 'off', TERMINATE_FIRST: 'drift' }],
    ['NodeRepair=true,TerminateFirstRepair=true', { NODE_REPAIR: 'on', TERMINATE_FIRST: 'repair' }],
    ['NodeRepair=true,TerminateFirstRepair=true,TerminateFirstDrift=true', { NODE_REPAIR: 'on', TERMINATE_FIRST: 'both' }],
    ['TerminateFirstRepair=true', { NODE_REPAIR: 'off', TERMINATE_FIRST: 'off' }],
  ])('follows the feature gates %s', (text, want) => {
    expect(appSettingsFrom(gates(text))).toEqual(want)
  })

  it('hands the configuration of the scheduler on', () => {
    expect(appSettingsFrom([{ name: 'SCHEDULER_CONFIG', value: 'podTopologySpread: {}' }])).toMatchObject({
      SCHEDULER_CONFIG: 'podTopologySpread: {}',
    })
  })

  it.each([
    ['a variable without a counterpart', [{ name: 'BATCH_MAX_DURATION', value: '1s' }], 'variable BATCH_MAX_DURATION'],
    ['a gate without a counterpart', gates('NodeRepair=true,NodeOverlay=true'), 'feature gate NodeOverlay'],
    ['a gate that is neither on nor off', gates('NodeRepair=yes'), 'NodeRepair=yes is neither'],
    ['no gate', gates(''), 'feature gate  has no'],
    ['a value from elsewhere', [{ name: 'SCHEDULER_CONFIG', valueFrom: {} }], 'valueFrom'],
  ])('refuses %s', (_, environment, message) => {
    expect(() => appSettingsFrom(environment)).toThrow(message)
  })
})
