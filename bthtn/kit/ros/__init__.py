"""How does a robot of ROS 2 act and perceive by bthtn?

    a task ──action_operator, service_operator──► a server, which answers in a thread of its own
    a topic ──topic_sensor──► beliefs
    a node ──clock──► the agent's time;   its timer ──ticking──► a tree

Nothing here imports rclpy: ``protocols`` has what is called of it. The public names are in
``bthtn.ros``.
"""
