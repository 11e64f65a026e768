import { testArea } from './asked.ts'

testArea('programs')
