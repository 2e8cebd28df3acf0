"""People of a campaign that changes: their lists, the queue, those who leave."""
