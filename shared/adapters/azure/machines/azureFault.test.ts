import { expect, it } from 'vitest'
import { Fault, type ProblemCode } from '../../../model/problem.ts'
import { azureFault } from './azureFault.ts'

const NEVER = new AbortController().signal

it.each<[status: number, azureCode: string, want: ProblemCode]>([
  [429, 'TooManyRequests', 'AZURE.THROTTLED'],
  [429, '', 'AZURE.THROTTLED'],
  [429, 'RetryableError', 'AZURE.FAILED'],
  [429, 'AnotherOperationInProgress', 'AZURE.FAILED'],
  [403, 'AuthorizationFailed', 'AZURE.FORBIDDEN'],
  [500, 'InternalServerError', 'AZURE.FAILED'],
])('an answer %i %s is %s: only a limit that is reached is throttling', (statusCode, code, want) => {
  const fault = azureFault(
    'delete machine',
    Object.assign(new Error('no'), { statusCode, details: { error: { code, message: 'no' } } }),
    NEVER,
  )
  expect(fault).toBeInstanceOf(Fault)
  expect(fault).toMatchObject({ problem: { code: want } })
})
