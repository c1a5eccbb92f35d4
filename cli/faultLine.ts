import { oneLine } from '../shared/base/oneLine.ts'
import type { Fault } from '../shared/model/problem.ts'

/** The code and the message of a fault on one line. Example: `AZURE.FORBIDDEN   log in to Azure: nobody is logged in; run: azd auth login`. */
export function faultLine({ problem: { code }, message }: Fault): string {
  return `${code}   ${oneLine(message)}`
}
