// Completed tasks.
import { CircleCheck, Clock, RotateCcw, Trash2 } from 'lucide-react'
import { useTranslations } from 'use-intl'
import styles from './feed.module.css'
import { ItemHeader, Act } from './parts.tsx'
import { useFeed } from './context.ts'
import { nameOfUser } from '../../crm/bootstrap.ts'
import { PlainText } from './text.tsx'
import type { TaskItem } from './rows.ts'

export function TaskBody({ item }: { item: TaskItem }) {
  const words = useTranslations('feed')
  const { actions, isReadOnly, vocabulary } = useFeed()
  const taskType = useTaskType()
  const { task } = item
  const result = Array.isArray(task.result) ? '' : task.result.text
  const responsible = nameOfUser(vocabulary, task.responsible_user_id)
  return (
    <div className={styles.task}>
      <ItemHeader
        item={item}
        icon={
          task.is_completed ? (
            <CircleCheck size={14} className={styles.done} />
          ) : (
            <Clock size={14} />
          )
        }
        kind={
          <>
            {task.is_completed
              ? words('taskOf', { type: taskType(task.task_type_id) })
              : taskType(task.task_type_id)}
            {responsible !== undefined && task.responsible_user_id !== item.created_by && (
              <> · {words('for', { name: responsible })}</>
            )}
          </>
        }
        actions={
          item.may_edit &&
          !isReadOnly &&
          !item.sending && (
            <>
              <Act
                text={words('reopen')}
                icon={<RotateCcw size={14} />}
                onClick={() => actions.changeTask(item, { is_completed: false } as never)}
              />
              <Act
                text={words('deleteTask')}
                icon={<Trash2 size={14} />}
                onClick={() => actions.remove(item)}
              />
            </>
          )
        }
      />
      <div className={styles.taskText} data-done={task.is_completed || undefined}>
        <PlainText text={task.text} />
      </div>
      {result !== '' && (
        <div className={styles.result}>
          <PlainText text={result} />
        </div>
      )}
    </div>
  )
}

/** Answers a function that names a type of task in the user's language. */
export function useTaskType(): (id: number) => string {
  const words = useTranslations('feed')
  const { vocabulary } = useFeed()
  return (id) => {
    const type = vocabulary.task_types.find((each) => each.id === id)
    if (type?.code === 'FOLLOW_UP' || type?.code === 'MEETING')
      return words(`taskType.${type.code}`)
    return type?.name ?? words('kind.task')
  }
}
