import { describe, expect, it } from 'vitest'
import { givenSettings } from './givenSettings.ts'

describe('settings given at the start', () => {
  it('are taken by name, with everything after the first equals sign', () => {
    expect(givenSettings(['PLACEMENT=firstFit', 'DEFAULT_SPREAD=[{"a":"b=c"}]', 'LOG_LEVEL='])).toEqual({
      PLACEMENT: 'firstFit',
      DEFAULT_SPREAD: '[{"a":"b=c"}]',
      LOG_LEVEL: '',
    })
    expect(givenSettings(['AzureFunctionsJobHost__extensions__queues__batchSize=1'])).toHaveProperty(
      'AzureFunctionsJobHost__extensions__queues__batchSize',
    )
  })

  it.each([
    ['BATCH_IDLE_DURATON=1s', /BATCH_IDLE_DURATON: the function app has no such setting; did you mean BATCH_IDLE_DURATION/],
    ['batch_max=1s', /did you mean BATCH_MAX_DURATION/],
    ['QQQ=1', /there are .*BATCH_IDLE_DURATION, .*GC_SCHEDULE/],
    ['PLACEMENT', /is not NAME=value/],
    ['=x', /is not NAME=value/],
    ['JOINER_CLUSTERS=[]', /the local stack sets it by itself/],
    ['ARM_ENDPOINT=https://x', /the local stack sets it by itself/],
  ])('are refused: %s', (pair, want) => {
    expect(() => givenSettings([pair])).toThrow(want)
  })
})
