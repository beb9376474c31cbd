// Priority levels and their queues.

import { counter, gauge, histogram } from '../metric-entry.ts';

export const flowControlTable = {
  apiserver_current_inqueue_requests: gauge(
    'ALPHA',
    ['request_kind'],
    'Requests that wait for seats, by whether they change something.',
    { threads: 'sum' },
  ),
  apiserver_flowcontrol_current_executing_requests: gauge(
    'BETA',
    ['flow_schema', 'priority_level'],
    'Requests that are worked on.',
    { threads: 'sum' },
  ),
  apiserver_flowcontrol_current_executing_seats: gauge(
    'BETA',
    ['flow_schema', 'priority_level'],
    'Seats of requests that are worked on.',
    { threads: 'sum' },
  ),
  apiserver_flowcontrol_current_inqueue_requests: gauge(
    'BETA',
    ['flow_schema', 'priority_level'],
    'Requests that wait.',
    { threads: 'sum' },
  ),
  apiserver_flowcontrol_current_inqueue_seats: gauge(
    'ALPHA',
    ['flow_schema', 'priority_level'],
    'Seats that requests wait for.',
    { threads: 'sum' },
  ),
  apiserver_flowcontrol_current_limit_seats: gauge('ALPHA', ['priority_level'], 'Seats that a level has now.'),
  apiserver_flowcontrol_current_r: gauge('ALPHA', ['priority_level'], 'Virtual time of a level, in seat-seconds.'),
  apiserver_flowcontrol_demand_seats: histogram(
    'ALPHA',
    ['priority_level'],
    'Nanoseconds by the seats that a level needs, as a part of those it has.',
  ),
  apiserver_flowcontrol_demand_seats_average: gauge(
    'ALPHA',
    ['priority_level'],
    'Average of the seats that a level needed lately.',
  ),
  apiserver_flowcontrol_demand_seats_high_watermark: gauge('ALPHA', ['priority_level'], 'Their maximum.'),
  apiserver_flowcontrol_demand_seats_smoothed: gauge(
    'ALPHA',
    ['priority_level'],
    'The seats that a level usually needs.',
  ),
  apiserver_flowcontrol_demand_seats_stdev: gauge('ALPHA', ['priority_level'], 'Their standard deviation.'),
  apiserver_flowcontrol_dispatch_r: gauge('ALPHA', ['priority_level'], 'Virtual time of the last start of a request.'),
  apiserver_flowcontrol_dispatched_requests_total: counter(
    'BETA',
    ['flow_schema', 'priority_level'],
    'Requests that were worked on.',
  ),
  apiserver_flowcontrol_epoch_advance_total: counter(
    'ALPHA',
    ['priority_level', 'success'],
    'How often the virtual time of a level was wound back.',
  ),
  apiserver_flowcontrol_latest_s: gauge('ALPHA', ['priority_level'], 'Virtual start of the request that started last.'),
  apiserver_flowcontrol_lower_limit_seats: gauge('ALPHA', ['priority_level'], 'Seats that a level does not lend.'),
  apiserver_flowcontrol_next_discounted_s_bounds: gauge(
    'ALPHA',
    ['bound', 'priority_level'],
    'The same without the estimated work of requests under way.',
  ),
  apiserver_flowcontrol_next_s_bounds: gauge(
    'ALPHA',
    ['bound', 'priority_level'],
    'Virtual starts of the next requests of queues.',
  ),
  apiserver_flowcontrol_nominal_limit_seats: gauge('BETA', ['priority_level'], 'Seats of a level by its shares.'),
  apiserver_flowcontrol_priority_level_request_utilization: histogram(
    'ALPHA',
    ['phase', 'priority_level'],
    'Nanoseconds by the part of the places in use.',
  ),
  apiserver_flowcontrol_priority_level_seat_utilization: histogram(
    'ALPHA',
    ['phase', 'priority_level'],
    'Nanoseconds by the part of the seats in use.',
  ),
  apiserver_flowcontrol_read_vs_write_current_requests: histogram(
    'ALPHA',
    ['phase', 'request_kind'],
    'Nanoseconds by the part of requests that read and write.',
  ),
  apiserver_flowcontrol_rejected_requests_total: counter(
    'BETA',
    ['flow_schema', 'priority_level', 'reason'],
    'Requests that were refused, by the reason.',
  ),
  apiserver_flowcontrol_request_dispatch_no_accommodation_total: counter(
    'ALPHA',
    ['flow_schema', 'priority_level'],
    'How often the next request had to wait for more seats.',
  ),
  apiserver_flowcontrol_request_execution_seconds: histogram(
    'ALPHA',
    ['flow_schema', 'priority_level', 'type'],
    'Seconds that requests took.',
  ),
  apiserver_flowcontrol_request_queue_length_after_enqueue: histogram(
    'ALPHA',
    ['flow_schema', 'priority_level'],
    'Length of the queue of a request.',
  ),
  apiserver_flowcontrol_request_wait_duration_seconds: histogram(
    'BETA',
    ['execute', 'flow_schema', 'priority_level'],
    'Seconds that requests waited.',
  ),
  apiserver_flowcontrol_seat_fair_frac: gauge('ALPHA', [], 'By how much targets are multiplied to divide all seats.'),
  apiserver_flowcontrol_target_seats: gauge('ALPHA', ['priority_level'], 'Seats that a level would need.'),
  apiserver_flowcontrol_upper_limit_seats: gauge('ALPHA', ['priority_level'], 'The most seats that a level can have.'),
  apiserver_flowcontrol_watch_count_samples: histogram(
    'ALPHA',
    ['flow_schema', 'priority_level'],
    'Watches that saw a write.',
  ),
  apiserver_flowcontrol_work_estimated_seats: histogram(
    'ALPHA',
    ['flow_schema', 'priority_level'],
    'Seats that requests were estimated to need.',
  ),
};
