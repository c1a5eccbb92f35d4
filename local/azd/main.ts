// `npm run azd`: provides the azd that the rehearsal runs, and prints its path.
import { Fault } from '../../shared/model/problem.ts'
import { CACHE } from '../goPrograms.ts'
import { azdObstacle, findAzd } from './findAzd.ts'

const say = (line: string): void => console.log(line)

try {
  const why = azdObstacle(CACHE, process.env['PATH'] ?? '')
  if (why === undefined) say(await findAzd(CACHE, say))
  else console.error(why)
  process.exitCode = why === undefined ? 0 : 1
} catch (cause) {
  if (!(cause instanceof Fault)) throw cause
  console.error(cause.problem.message)
  process.exitCode = 1
}
