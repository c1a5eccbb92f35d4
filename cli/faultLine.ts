import { oneLine } from '../shared/base/text.ts'
import type { Fault } from '../shared/model/problem.ts'

/** Returns one line with the code and the message of a fault. Example: `AZURE.FORBIDDEN   log in to Azure: nobody is logged in; run: azd auth login`. */
export function faultLine({ problem: { code }, message }: Fault): string {
  return `${code}   ${oneLine(message)}`
}
