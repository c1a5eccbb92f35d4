// `npm run helm`: provides the Helm that the tests of the charts use, and prints its path.
import { Fault } from '../../shared/model/problem.ts'
import { CACHE } from '../goPrograms.ts'
import { findHelm, helmObstacle } from './findHelm.ts'

const places = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
const say = (line: string): void => console.log(line)

try {
  const why = helmObstacle(places, process.env['PATH'] ?? '')
  if (why === undefined) say(await findHelm(places, say))
  else console.error(why)
  process.exitCode = why === undefined ? 0 : 1
} catch (cause) {
  if (!(cause instanceof Fault)) throw cause
  console.error(cause.problem.message)
  process.exitCode = 1
}
